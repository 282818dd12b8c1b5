import { createPublicClient, createWalletClient, http, parseEventLogs } from "viem"
import { privateKeyToAccount } from "viem/accounts"

/** A table on a chain, for an app. `abi` is the contract's. */
export function tableAt(url, address, abi) {
  const client = createPublicClient({ transport: http(url), pollingInterval: 100 })
  const table = { address, abi }

  return {
    /** Everything about the game in one call. */
    state: () => client.readContract({ ...table, functionName: "gameState" }),

    /** Place a mark. Give the game's number: a move meant for one game can then never land in the next. */
    async move(key, row, col, gameId) {
      const account = privateKeyToAccount(key)
      const { request } = await client.simulateContract({ ...table, account, functionName: "makeMove", args: [row, col, gameId] })
      const hash = await createWalletClient({ account, transport: http(url) }).writeContract({ ...request, chain: null })
      return client.waitForTransactionReceipt({ hash, timeout: 60_000 })
    },

    /** Every game ever played at this table, rebuilt from its logs alone. */
    async games(fromBlock = 0n) {
      const games = new Map()
      const logs = await client.getLogs({ address, fromBlock })
      for (const { eventName, args } of parseEventLogs({ abi, logs })) {
        if (eventName === "GameCreated") games.set(args.gameId, { ...args, moves: [], status: 1 })
        const game = games.get(args.gameId)
        if (eventName === "MoveMade") game.moves.push([args.row, args.col])
        if (eventName === "GameEnded") game.status = args.status
      }
      return games
    },

    /** Call back with the state at every new block: after a reorg too, because the state is read again. */
    listen(onState) {
      let seen
      return client.watchBlocks({
        emitOnBegin: true,
        async onBlock({ hash, number }) {
          if (hash === seen) return
          seen = hash
          onState(await client.readContract({ ...table, functionName: "gameState", blockNumber: number }))
        },
      })
    },
  }
}

