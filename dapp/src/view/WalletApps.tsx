// On a device without a wallet in this browser: how to get to one.
import { text } from "../text.ts";
import { isPhone, walletApps } from "../walletapps.ts";
import { OutsideLink } from "./Button.tsx";
import { QrCode } from "./QrCode.tsx";

/** ethereum.org's list of wallets. */
const LIST = "https://ethereum.org/wallets/find-wallet/";

export function WalletApps() {
  const page = location.href.replace(/#.*$/, "");
  if (!isPhone()) {
    return (
      <div class="row">
        <div class="stack">
          <p>
            {text.wallet.none} <OutsideLink href={LIST}>{text.wallet.list}</OutsideLink>
          </p>
          <p>{text.wallet.scan}</p>
        </div>
        <QrCode words={page} label={text.wallet.code} />
      </div>
    );
  }
  return (
    <div class="stack">
      <p>{text.wallet.apps}</p>
      <div class="row">
        {walletApps.map(({ name, open }) => (
          <a key={name} class="button primary" href={open(page)} rel="noreferrer">
            {name}
          </a>
        ))}
      </div>
      <p class="hint">
        {text.wallet.noApp} <OutsideLink href={LIST}>{text.wallet.list}</OutsideLink>
      </p>
    </div>
  );
}
