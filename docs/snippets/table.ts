import { createPublicClient, createWalletClient, http, parseEventLogs } from "viem"
import type { Address, Hex, WatchContractEventOnLogsParameter } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { abi } from "./abi.js"

type Events = WatchContractEventOnLogsParameter<typeof abi>
type Game = { gameId: bigint; playerX: Address; playerO: Address; moves: [row: number, col: number][]; status: number }

/** A table on a chain, for an app that looks for news `every` so many milliseconds. */
export function tableAt(url: string, address: Address, every = 1_000) {
  const client = createPublicClient({ transport: http(url), pollingInterval: every })
  const table = { address, abi } as const

  /** Everything about the game in one call. */
  const state = () => client.readContract({ ...table, functionName: "gameState" })

  /** Place a mark. Give the game's number: a move meant for one game can then never land in the next. */
  async function move(key: Hex, row: number, col: number, gameId: bigint) {
    const account = privateKeyToAccount(key)
    const { request } = await client.simulateContract({ ...table, account, functionName: "makeMove", args: [row, col, gameId] })
    const hash = await createWalletClient({ account, transport: http(url) }).writeContract({ ...request, chain: null })
    return client.waitForTransactionReceipt({ hash, timeout: 60_000 })
  }

  /** Every game ever played at this table, rebuilt from its logs alone. */
  async function games(fromBlock = 0n) {
    const games = new Map<bigint, Game>()
    const logs = await client.getLogs({ address, fromBlock })
    for (const { eventName, args } of parseEventLogs({ abi, logs })) {
      if (eventName === "GameCreated") games.set(args.gameId, { ...args, moves: [], status: 1 })
      if (eventName === "MoveMade") games.get(args.gameId)?.moves.push([args.row, args.col])
      if (eventName === "GameEnded") Object.assign(games.get(args.gameId) ?? {}, { status: args.status })
    }
    return games
  }

  /** Hear the events as they land, for a feed. Not for the board: a node may forget a listener, and a reorg is not told. */
  const listen = (onLogs: (events: Events) => void) => client.watchContractEvent({ ...table, onLogs })

  /** Follow the board: the state at every new head, after a reorg too. Rejects when the node is away: begin again. */
  async function follow(onState: (now: Awaited<ReturnType<typeof state>>) => void, stop: AbortSignal) {
    for (let seen: Hex | undefined; !stop.aborted; await new Promise((wake) => setTimeout(wake, every))) {
      const { hash } = await client.getBlock()
      if (hash !== seen) onState(await state())
      seen = hash
    }
  }

  return { state, move, games, listen, follow }
}
