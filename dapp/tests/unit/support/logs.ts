// An endpoint that has nothing but a table's events, and limits how many blocks one request may cover, and how old they may be.
import { encodeAbiParameters, encodeEventTopics, keccak256, numberToHex, toHex } from "viem/utils";
import { ABI } from "../../../src/generated/contract.ts";
import { type Provider, type Request, RpcError } from "../../../src/rpc.ts";
import { type Address, type Hex, type Status, STATUSES, ZERO } from "../../../src/rules.ts";
import { TABLE } from "./node.ts";

interface Log {
  address: Address;
  topics: Hex[];
  data: Hex;
  transactionHash: Hex;
  blockNumber: Hex;
}

export interface Played {
  x: Address;
  o: Address;
  moves: readonly number[];
  status: Status;
}

/** The account that `GameEnded` names as the winner. */
const winnerOf = ({ x, o, status }: Played): Address =>
  status === "x_won" || status === "o_forfeits" ? x : status === "o_won" || status === "x_forfeits" ? o : ZERO;

const uint8s = (...values: number[]): Hex =>
  encodeAbiParameters(
    values.map(() => ({ type: "uint8" })),
    values,
  );

export class LogServer implements Provider {
  readonly logs: Log[] = [];
  head = 0;
  /** The most blocks in one request. */
  limit = Infinity;
  /** The oldest block that it has. */
  oldest = 0;
  /** The first and the last block of every request. */
  readonly asked: [number, number | "latest"][] = [];
  private transactions = 0;
  private games = 0n;

  private add(topics: readonly unknown[], data: Hex = "0x"): Hex {
    const transactionHash = keccak256(toHex(`transaction ${(this.transactions += 1)}`));
    this.logs.push({
      address: TABLE,
      topics: topics as Hex[],
      data,
      transactionHash,
      blockNumber: numberToHex(this.head),
    });
    return transactionHash;
  }

  /** One game, a block per transaction with `pause` blocks between two. Returns the hashes of its moves. */
  play(played: Played, pause = 1): Hex[] {
    const { x, o, moves, status } = played;
    const gameId = (this.games += 1n);
    this.head += pause;
    this.add(encodeEventTopics({ abi: ABI, eventName: "GameCreated", args: { gameId, playerX: x, playerO: o } }));
    const hashes = moves.map((cell, at) => {
      this.head += pause;
      const topics = encodeEventTopics({
        abi: ABI,
        eventName: "MoveMade",
        args: { gameId, player: at % 2 === 0 ? x : o },
      });
      return this.add(topics, uint8s(at + 1, Math.floor(cell / 3), cell % 3));
    });
    if (status !== "in_progress") {
      const topics = encodeEventTopics({
        abi: ABI,
        eventName: "GameEnded",
        args: { gameId, winner: winnerOf(played) },
      });
      this.add(topics, uint8s(STATUSES.indexOf(status)));
    }
    return hashes;
  }

  async request({ params = [] }: Request): Promise<unknown> {
    const { topics, fromBlock, toBlock } = params[0] as {
      topics: (Hex | Hex[] | null)[];
      fromBlock: Hex;
      toBlock: Hex | "latest";
    };
    const [from, to] = [Number(fromBlock), toBlock === "latest" ? this.head : Number(toBlock)];
    this.asked.push([from, toBlock === "latest" ? toBlock : to]);
    if (![fromBlock, toBlock].every((block) => /^(0x[0-9a-f]+|latest)$/.test(block)))
      throw new RpcError(-32_602, "invalid block");
    if (to - from + 1 > this.limit) throw new RpcError(-32_602, `block range is limited to ${this.limit}`);
    if (from < this.oldest) throw new RpcError(4444, "pruned history unavailable");
    return this.logs.filter(
      ({ topics: own, blockNumber }) =>
        Number(blockNumber) >= from &&
        Number(blockNumber) <= to &&
        topics.every((wanted, at) => wanted === null || [wanted].flat().includes(own[at] ?? "0x")),
    );
  }
}
