// Sends a list of transactions through viem, by the documentation's listing where it has the function, and prints as JSON
// what viem shows of each.
import { BaseError, ContractFunctionRevertedError, createPublicClient, createWalletClient, http, parseEventLogs } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { readFileSync } from "node:fs"
import { tableAt } from "./table.js"

const { url, abi, table, steps } = JSON.parse(readFileSync(0, "utf8"))
const client = createPublicClient({ transport: http(url), pollingInterval: 20 })
const listing = tableAt(url, table, 50)
const named = ({ eventName, args }) => [eventName, args]
const heard = []
const stopListening = listing.listen((events) => heard.push(...events.map(named)))

async function send({ key, to, name, args }) {
  if (name === "makeMove" && args.length === 3 && to === table) return listing.move(key, ...args)
  const account = privateKeyToAccount(key)
  const { request } = await client.simulateContract({ address: to, abi, functionName: name, args, account })
  const hash = await createWalletClient({ account, transport: http(url) }).writeContract({ ...request, chain: null })
  return client.waitForTransactionReceipt({ hash, timeout: 60_000 })
}

const seen = []
for (const step of steps) {
  const row = {}
  try {
    const { logs } = await send(step)
    row.events = parseEventLogs({ abi, logs }).map(named)
  } catch (error) {
    const reverted = error instanceof BaseError && error.walk((cause) => cause instanceof ContractFunctionRevertedError)
    if (!reverted) throw error
    Object.assign(row, { reason: reverted.reason, message: error.shortMessage })
  }
  row.state = await listing.state()
  seen.push(row)
}

let followed
const enough = new AbortController()
await listing.follow((state) => {
  followed = state
  enough.abort()
}, enough.signal)

const emitted = seen.flatMap(({ events }) => events ?? []).length
for (let waits = 0; heard.length < emitted && waits < 200; waits++) await new Promise((wake) => setTimeout(wake, 50))
stopListening()
const games = [...(await listing.games()).values()]
const plain = (_, value) => (typeof value === "bigint" ? Number(value) : value)
console.log(JSON.stringify({ steps: seen, games, followed, heard }, plain))
