// A chain inside the page: the contract's own bytecode in an EVM, behind the interface of a wallet. Every transaction is a
// block. There are two accounts, and the player has both.
import { Common, Hardfork, Mainnet } from "@ethereumjs/common";
import { createEVM, type EVM, type EVMRunCallOpts } from "@ethereumjs/evm";
import { Account, bytesToHex, createAddressFromString, createContractAddress, hexToBytes } from "@ethereumjs/util";
import { getAddress, keccak256, numberToHex } from "viem/utils";
import { PRACTICE_CHAIN } from "../chains.ts";
import { BYTECODE } from "../generated/bytecode.ts";
import { type Provider, type Request, RpcError } from "../provider.ts";
import type { Address, Hex } from "../rules.ts";

export interface Transaction {
  from: Address;
  to: Address | null;
  data: Hex;
}

interface Log {
  address: Hex;
  topics: Hex[];
  data: Hex;
}

interface Block {
  hash: Hex;
  transaction: Transaction | null;
  transactionHash: Hex;
  nonce: number;
  succeeded: boolean;
  contract: Address | null;
  logs: Log[];
}

const addressOf = (digit: string): Address => getAddress(`0x${digit.repeat(40)}`);
export const ACCOUNTS: readonly [Address, Address] = [addressOf("1"), addressOf("2")];
export const TABLE = getAddress(createContractAddress(createAddressFromString(ACCOUNTS[0]), 0n).toString());

const GAS = 5_000_000n;

export interface PracticeChain extends Provider {
  transactions(): Transaction[];
}

/** Starts with the table, then repeats the transactions from before a reload. */
export async function createChain(earlier: readonly Transaction[], onBlock: () => void): Promise<PracticeChain> {
  const evm: EVM = await createEVM({ common: new Common({ chain: Mainnet, hardfork: Hardfork.Cancun }) });
  const state = evm.stateManager;
  const blocks: Block[] = [
    {
      hash: keccak256("0x00"),
      transaction: null,
      transactionHash: "0x",
      nonce: 0,
      succeeded: true,
      contract: null,
      logs: [],
    },
  ];

  const nonceOf = async (account: Address): Promise<bigint> =>
    (await state.getAccount(createAddressFromString(account)))?.nonce ?? 0n;

  async function run({ from, to, data }: Transaction) {
    const caller = createAddressFromString(from);
    const options: EVMRunCallOpts = {
      caller,
      origin: caller,
      data: hexToBytes(data),
      gasLimit: GAS,
      skipBalance: true,
    };
    if (to !== null) options.to = createAddressFromString(to);
    const { execResult, createdAddress } = await evm.runCall(options);
    return {
      error: execResult.exceptionError,
      output: bytesToHex(execResult.returnValue),
      logs: execResult.logs ?? [],
      createdAddress,
    };
  }

  async function mine(transaction: Transaction): Promise<Hex> {
    const nonce = await nonceOf(transaction.from);
    const parent = blocks.at(-1)?.hash ?? "0x";
    const parts = [
      parent,
      transaction.from,
      transaction.to ?? "0x",
      numberToHex(Number(nonce)).slice(2).padStart(16, "0"),
      transaction.data,
    ];
    const transactionHash = keccak256(`0x${parts.map((part) => part.replace("0x", "")).join("")}`);
    const { error, logs: emitted, createdAddress } = await run(transaction);
    // For a creation the EVM raises the nonce itself.
    if (transaction.to !== null || error) {
      const account = createAddressFromString(transaction.from);
      await state.putAccount(account, new Account(nonce + 1n, 0n));
    }
    blocks.push({
      hash: keccak256(transactionHash),
      transaction,
      transactionHash,
      nonce: Number(nonce),
      succeeded: error === undefined,
      contract: createdAddress && !error ? getAddress(createdAddress.toString()) : null,
      logs: emitted.map(([address, topics, data]) => ({
        address: bytesToHex(address),
        topics: topics.map((topic) => bytesToHex(topic)),
        data: bytesToHex(data),
      })),
    });
    return transactionHash;
  }

  async function call(transaction: Transaction): Promise<Hex> {
    await state.checkpoint();
    try {
      const { error, output } = await run(transaction);
      if (error) throw new RpcError(3, "execution reverted", output);
      return output;
    } finally {
      await state.revert();
    }
  }

  const find = (hash: unknown): [Block, number] | null => {
    const at = blocks.findIndex(({ transactionHash }) => transactionHash === hash);
    const block = blocks[at];
    return block === undefined ? null : [block, at];
  };

  function receipt(hash: unknown) {
    const found = find(hash);
    if (found === null) return null;
    const [block, number] = found;
    return {
      transactionHash: block.transactionHash,
      blockHash: block.hash,
      blockNumber: numberToHex(number),
      status: block.succeeded ? "0x1" : "0x0",
      contractAddress: block.contract,
      from: block.transaction?.from,
      to: block.transaction?.to,
    };
  }

  function transactionBy(hash: unknown) {
    const found = find(hash);
    return found === null ? null : { hash, from: found[0].transaction?.from, nonce: numberToHex(found[0].nonce) };
  }

  function logs({ address, topics = [] }: { address: string; topics?: (string | string[] | null)[] }) {
    const fits = (log: Log): boolean =>
      log.address === address.toLowerCase() &&
      topics.every((wanted, at) => wanted === null || [wanted].flat().includes(log.topics[at] ?? ""));
    return blocks.flatMap((block, number) =>
      block.logs.filter(fits).map((log) => ({
        ...log,
        blockHash: block.hash,
        blockNumber: numberToHex(number),
        transactionHash: block.transactionHash,
      })),
    );
  }

  const transactionIn = (value: unknown): Transaction => {
    const { from = ACCOUNTS[0], to = null, data = "0x" } = value as Partial<Transaction>;
    if (!ACCOUNTS.includes(getAddress(from))) throw new RpcError(4100, "not an account of this wallet");
    return { from, to, data };
  };

  async function answer({ method, params = [] }: Request): Promise<unknown> {
    const [first] = params;
    switch (method) {
      case "eth_chainId":
        return numberToHex(PRACTICE_CHAIN);
      case "eth_accounts":
      case "eth_requestAccounts":
        return [...ACCOUNTS];
      case "eth_blockNumber":
        return numberToHex(blocks.length - 1);
      case "eth_getBlockByNumber":
        return { hash: blocks.at(-1)?.hash, number: numberToHex(blocks.length - 1) };
      case "eth_getCode":
        return bytesToHex(await state.getCode(createAddressFromString(getAddress(String(first)))));
      case "eth_getTransactionCount":
        return numberToHex(Number(await nonceOf(getAddress(String(first)))));
      case "eth_call":
        return await call(transactionIn(first));
      case "eth_sendTransaction": {
        const hash = await mine(transactionIn(first));
        onBlock();
        return hash;
      }
      case "eth_getTransactionReceipt":
        return receipt(first);
      case "eth_getTransactionByHash":
        return transactionBy(first);
      case "eth_getLogs":
        return logs(first as { address: string });
      default:
        throw new RpcError(-32601, `the practice chain has no ${method}`);
    }
  }

  await mine({ from: ACCOUNTS[0], to: null, data: BYTECODE });
  for (const transaction of earlier) await mine(transaction);

  // One request at a time, because the EVM has one state.
  let last: Promise<unknown> = Promise.resolve();
  return {
    request(request) {
      const turn = last.then(() => answer(request));
      last = turn.catch(() => null);
      return turn;
    },
    on: () => null,
    // Without block 0 and the block that creates the table.
    transactions: () => blocks.slice(2).flatMap(({ transaction }) => transaction ?? []),
  };
}
