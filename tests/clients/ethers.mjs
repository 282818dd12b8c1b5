// Sends a list of transactions through ethers v6, and prints as JSON what ethers shows of each.
import { Contract, JsonRpcProvider, Wallet } from "ethers"
import { readFileSync } from "node:fs"

const { url, abi, table, steps } = JSON.parse(readFileSync(0, "utf8"))
const provider = new JsonRpcProvider(url, undefined, { cacheTimeout: -1, pollingInterval: 20 })
const reader = new Contract(table, abi, provider)
// The optional game number makes overloads, so ethers needs the whole signature.
const types = {
  newGame: ["address", "address", "uint256"],
  makeMove: ["uint8", "uint8", "uint256"],
  forfeit: ["uint256"],
}

const decoded = (log) => {
  const { name, args } = reader.interface.parseLog(log)
  return [name, args.toObject()]
}

const seen = []
for (const { key, to, name, args } of steps) {
  const row = {}
  const contract = new Contract(to, abi, new Wallet(key, provider))
  try {
    const receipt = await (await contract[`${name}(${types[name].slice(0, args.length)})`](...args)).wait()
    row.events = receipt.logs.map(decoded)
  } catch (error) {
    if (error.code !== "CALL_EXCEPTION") throw error
    Object.assign(row, { reason: error.reason, message: error.shortMessage })
  }
  const state = await reader.gameState()
  row.state = { ...state.toObject(), moveHistory: state.moveHistory.map((move) => move.toObject()) }
  seen.push(row)
}
const games = new Map()
for (const log of await reader.queryFilter("*", 0)) {
  const [name, args] = decoded(log)
  if (name === "GameCreated") games.set(args.gameId, { ...args, moves: [], status: 1 })
  if (name === "MoveMade") games.get(args.gameId).moves.push(Number(args.row * 3n + args.col))
  if (name === "GameEnded") games.get(args.gameId).status = args.status
}
provider.destroy()
const plain = (_, value) => (typeof value === "bigint" ? Number(value) : value)
console.log(JSON.stringify({ steps: seen, games: [...games.values()] }, plain))
