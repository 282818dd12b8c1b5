import { createPublicClient, createWalletClient, http, parseEventLogs } from "viem"
import type { Address, Hex, WatchContractEventOnLogsParameter } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { abi } from "./abi.js"

type Events = WatchContractEventOnLogsParameter<typeof abi>
type Game = { gameId: bigint; playerX: Address; playerO: Address; moves: number[]; status: number }

/** A table at an address, asked every `pace` milliseconds. */
export function tableAt(url: string, address: Address, pace = 1_000) {
  const client = createPublicClient({ transport: http(url), pollingInterval: pace })
  const table = { address, abi } as const

  /** The whole game in one call. */
  const state = () => client.readContract({ ...table, functionName: "gameState" })

  /** Places a mark in the game `gameId`, and in no other. */
  async function move(key: Hex, row: number, col: number, gameId: bigint) {
    const account = privateKeyToAccount(key)
    const { request } = await client.simulateContract({ ...table, account, functionName: "makeMove", args: [row, col, gameId] })
    const hash = await createWalletClient({ account, transport: http(url) }).writeContract({ ...request, chain: null })
    return client.waitForTransactionReceipt({ hash, timeout: 60_000 })
  }

  /** Every game since `fromBlock`, rebuilt from the logs. */
  async function games(fromBlock = 0n) {
    const games = new Map<bigint, Game>()
    const logs = await client.getLogs({ address, fromBlock })
    for (const { eventName, args } of parseEventLogs({ abi, logs })) {
      if (eventName === "GameCreated") games.set(args.gameId, { ...args, moves: [], status: 1 })
      if (eventName === "MoveMade") games.get(args.gameId)?.moves.push(args.row * 3 + args.col)
      if (eventName === "GameEnded") Object.assign(games.get(args.gameId) ?? {}, { status: args.status })
    }
    return games
  }

  /** Calls `onEvents` for new events: for a feed, not for the board, because it misses reorgs and may miss events. */
  const listen = (onEvents: (events: Events) => void) => client.watchContractEvent({ ...table, onLogs: onEvents })

  /** Calls `onState` at every new head, also after a reorg. Rejects when the node fails: call it again. */
  async function follow(onState: (now: Awaited<ReturnType<typeof state>>) => void, stop: AbortSignal) {
    for (let seen: Hex | undefined; !stop.aborted; await new Promise((wake) => setTimeout(wake, pace))) {
      const { hash } = await client.getBlock()
      if (hash !== seen) onState(await state())
      seen = hash
    }
  }

  return { state, move, games, listen, follow }
}
