// Sends a list of transactions through viem, by the documentation's listing where it has the function, and prints as JSON
// what viem shows after each.
import { createPublicClient, createWalletClient, http, parseEventLogs } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { readFileSync } from "node:fs"

const { url, abi, table, listing, transactions } = JSON.parse(readFileSync(0, "utf8"))
const { tableAt } = await import(listing)
const { state, move, games, listen, follow } = tableAt(url, table, 50)
const client = createPublicClient({ transport: http(url), pollingInterval: 20 })
const named = ({ eventName, args }) => [eventName, args]
const heard = []
const stopListening = listen((events) => heard.push(...events.map(named)))

async function send({ key, to, name, args }) {
  if (name === "makeMove" && args.length === 3) return move(key, ...args)
  const account = privateKeyToAccount(key)
  const { request } = await client.simulateContract({ address: to, abi, functionName: name, args, account })
  const hash = await createWalletClient({ account, transport: http(url) }).writeContract({ ...request, chain: null })
  return client.waitForTransactionReceipt({ hash, timeout: 60_000 })
}

const rows = []
for (const transaction of transactions) {
  const row = {}
  try {
    const { logs } = await send(transaction)
    row.events = parseEventLogs({ abi, logs }).map(named)
  } catch (error) {
    if (!error.shortMessage) throw error // it is not viem's
    row.refused = [error.shortMessage]
  }
  row.state = await state()
  rows.push(row)
}

let followed
const enough = new AbortController()
await follow((state) => {
  followed = state
  enough.abort()
}, enough.signal)

const emitted = rows.flatMap(({ events }) => events ?? []).length
for (let waits = 0; heard.length < emitted && waits < 200; waits++) await new Promise((wake) => setTimeout(wake, 50))
stopListening()
const plain = (_, value) => (typeof value === "bigint" ? Number(value) : value)
console.log(JSON.stringify({ rows, games: [...(await games()).values()], followed, heard }, plain))
