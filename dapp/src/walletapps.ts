// Wallets on phones have a browser of their own, and only in it can a page reach them. Each has a documented link that opens a
// page there. Rainbow documents none.

const encoded = (page: string): string => encodeURIComponent(page);

/** Each opens a page in the wallet's browser; without the wallet, the place to install it. */
export const walletApps: readonly { name: string; open: (page: string) => string }[] = [
  // docs.metamask.io/metamask-connect/evm/guides/metamask-exclusive/use-deeplinks. It takes the page unencoded, without the scheme.
  { name: "MetaMask", open: (page) => `https://link.metamask.io/dapp/${page.replace(/^https?:\/\//, "")}` },
  // developer.trustwallet.com/developer/develop-for-trust/deeplinking. 60 is Ethereum's number in SLIP-44.
  { name: "Trust Wallet", open: (page) => `https://link.trustwallet.com/open_url?coin_id=60&url=${encoded(page)}` },
  // docs.cdp.coinbase.com/coinbase-wallet/developer-guidance/mobile-dapp-integration
  { name: "Base (Coinbase Wallet)", open: (page) => `https://go.cb-w.com/dapp?cb_url=${encoded(page)}` },
];

/** Whether this device is a phone or a tablet: its first pointer is a finger. */
export const isPhone = (): boolean => matchMedia("(hover: none) and (pointer: coarse)").matches;
