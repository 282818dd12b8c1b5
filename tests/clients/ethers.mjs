// Sends a list of transactions through ethers v6, and prints as JSON what ethers shows after each.
import { Contract, JsonRpcProvider, Wallet } from "ethers"
import { readFileSync } from "node:fs"

const { url, abi, table, transactions } = JSON.parse(readFileSync(0, "utf8"))
const provider = new JsonRpcProvider(url, undefined, { cacheTimeout: -1, pollingInterval: 20 })
const reader = new Contract(table, abi, provider)
const rows = []
for (const { key, to, name, args } of transactions) {
  const row = {}
  const contract = new Contract(to, abi, new Wallet(key, provider))
  // The optional game number makes overloads, so ethers needs the whole signature.
  const isCalled = (item) => item.name === name && item.inputs.length === args.length
  const signature = reader.interface.fragments.find(isCalled).format()
  try {
    const receipt = await (await contract[signature](...args)).wait()
    const events = receipt.logs.map((log) => reader.interface.parseLog(log))
    row.events = events.map(({ name, args }) => [name, args.toObject()])
  } catch (error) {
    if (error.code !== "CALL_EXCEPTION") throw error
    row.refused = [error.shortMessage, error.reason]
  }
  const state = await reader.gameState()
  row.state = { ...state.toObject(), moveHistory: state.moveHistory.map((move) => move.toObject()) }
  rows.push(row)
}
provider.destroy()
console.log(JSON.stringify({ rows }, (_, value) => (typeof value === "bigint" ? Number(value) : value)))
