// Plays a list of transactions through ethers v6; prints what it saw as JSON.
import { Contract, JsonRpcProvider, Wallet } from "ethers"
import { readFileSync } from "node:fs"

const { url, abi, table, steps } = JSON.parse(readFileSync(0, "utf8"))
const provider = new JsonRpcProvider(url, undefined, { cacheTimeout: -1, pollingInterval: 20 })
const reader = new Contract(table, abi, provider)
const overloads = { makeMove: ["uint8", "uint8", "uint256"], forfeit: ["uint256"], newGame: ["address", "address"] }

const decoded = (log) => {
  const { name, args } = reader.interface.parseLog(log)
  return [name, args.toObject()]
}

const out = []
for (const { key, to, name, args } of steps) {
  const seen = {}
  const contract = new Contract(to, abi, new Wallet(key, provider))
  const signature = `${name}(${overloads[name].slice(0, args.length)})`
  try {
    const receipt = await (await contract[signature](...args)).wait()
    seen.events = receipt.logs.map(decoded)
  } catch (error) {
    if (error.code !== "CALL_EXCEPTION") throw error
    Object.assign(seen, { reason: error.reason, told: error.shortMessage })
  }
  const state = await reader.gameState()
  seen.state = { ...state.toObject(), moveHistory: state.moveHistory.map((move) => move.toObject()) }
  out.push(seen)
}
const games = new Map()
for (const log of await reader.queryFilter("*", 0)) {
  const [name, args] = decoded(log)
  if (name === "GameCreated") games.set(args.gameId, { ...args, moves: [], status: 1 })
  if (name === "MoveMade") games.get(args.gameId).moves.push([args.row, args.col])
  if (name === "GameEnded") games.get(args.gameId).status = args.status
}
provider.destroy()
console.log(JSON.stringify({ out, games: [...games.values()] }, (_, value) => (typeof value === "bigint" ? Number(value) : value)))
