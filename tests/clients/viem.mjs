// Plays a list of transactions through viem, partly by the snippet of the documentation; prints what it saw as JSON.
import { BaseError, ContractFunctionRevertedError, createPublicClient, createWalletClient, http, parseEventLogs } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { readFileSync } from "node:fs"
import { tableAt } from "./table.js"

const { url, abi, table, steps } = JSON.parse(readFileSync(0, "utf8"))
const client = createPublicClient({ transport: http(url), pollingInterval: 20 })
const snippet = tableAt(url, table, 50)
const heard = []
const deaf = snippet.listen((events) => heard.push(...events.map(({ eventName, args }) => [eventName, args])))

async function send({ key, to, name, args }) {
  if (name === "makeMove" && args.length === 3 && to === table) return snippet.move(key, ...args)
  const account = privateKeyToAccount(key)
  const { request } = await client.simulateContract({ address: to, abi, functionName: name, args, account })
  const hash = await createWalletClient({ account, transport: http(url) }).writeContract({ ...request, chain: null })
  return client.waitForTransactionReceipt({ hash, timeout: 60_000 })
}

const out = []
for (const step of steps) {
  const seen = {}
  try {
    const { logs } = await send(step)
    seen.events = parseEventLogs({ abi, logs }).map(({ eventName, args }) => [eventName, args])
  } catch (error) {
    if (!(error instanceof BaseError)) throw error
    const reverted = error.walk((cause) => cause instanceof ContractFunctionRevertedError)
    Object.assign(seen, { reason: reverted?.reason, told: error.shortMessage })
  }
  seen.state = await snippet.state()
  out.push(seen)
}
const enough = new AbortController()
let followed
await snippet.follow((state) => {
  followed = state
  enough.abort()
}, enough.signal)
const sent = out.flatMap(({ events }) => events ?? []).length
for (let waits = 0; heard.length < sent && waits < 200; waits++) await new Promise((wake) => setTimeout(wake, 50))
deaf()
const games = [...(await snippet.games()).values()]
console.log(JSON.stringify({ out, games, followed, heard }, (_, value) => (typeof value === "bigint" ? Number(value) : value)))
