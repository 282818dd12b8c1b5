// The table on @ethereumjs/evm, under the rules of the fork that the command line names. It reads a task from each line
// of standard input and prints its result as a line of JSON. It knows nothing of the game.
import { createInterface } from "node:readline"
import { Common, Mainnet } from "@ethereumjs/common"
import { createEVM } from "@ethereumjs/evm"
import { bytesToHex, createAddressFromString, hexToBytes } from "@ethereumjs/util"

const evm = await createEVM({ common: new Common({ chain: Mainnet, hardfork: process.argv[2] }) })
const state = evm.stateManager
const SLOTS = [0, 1].map((slot) => hexToBytes(`0x${slot.toString(16).padStart(64, "0")}`))
const gameStates = new Map()
let table, forwarder, reader

async function run({ from, to, data }) {
  const caller = createAddressFromString(from)
  const options = { caller, to, data: hexToBytes(data), gasLimit: 10_000_000n, skipBalance: true }
  const { execResult, createdAddress } = await evm.runCall(options)
  // As at the end of a transaction. Otherwise the engine keeps what every message has touched.
  await evm.journal.cleanup()
  state.originalStorageCache.clear()
  const { exceptionError, returnValue, logs = [], executionGasUsed } = execResult
  if (exceptionError && exceptionError.error !== "revert") throw exceptionError
  return { reverted: Boolean(exceptionError), output: bytesToHex(returnValue), logs, createdAddress, executionGasUsed }
}

const getSlots = () => Promise.all(SLOTS.map(async (slot) => bytesToHex(await state.getStorage(table, slot))))

const setSlots = (values) => Promise.all(SLOTS.map((slot, i) => state.putStorage(table, slot, hexToBytes(values[i]))))

/** gameState() is slow here and reads nothing but the slots, so it runs once for each pair of them. */
async function gameState(slots) {
  const key = slots.join()
  if (!gameStates.has(key)) gameStates.set(key, (await run(reader)).output)
  return gameStates.get(key)
}

/** [revert data, slots] or [logs, slots, what gameState() returns]. */
async function outcome({ from, data, throughContract }) {
  const { reverted, output, logs } = await run({ from, to: throughContract ? forwarder : table, data })
  const slots = await getSlots()
  if (reverted) return [output, slots]
  const raw = logs.map(([address, topics, data]) => [address, ...topics, data].map(bytesToHex))
  return [raw, slots, await gameState(slots)]
}

const tasks = {
  async deploy(creation) {
    const { createdAddress, executionGasUsed } = await run(creation)
    table = createdAddress
    return [table.toString(), Number(executionGasUsed)]
  },
  async prepare(readingGameState, address, code) {
    reader = { ...readingGameState, to: table }
    forwarder = createAddressFromString(address)
    await state.putCode(forwarder, hexToBytes(code))
    return null
  },
  async explore(slots, messages) {
    const outcomes = []
    await setSlots(slots)
    for (const message of messages) {
      const found = await outcome(message)
      outcomes.push(found)
      if (found[1].join() !== slots.join()) await setSlots(slots)
    }
    return outcomes
  },
}

for await (const line of createInterface({ input: process.stdin })) {
  const [task, ...parameters] = JSON.parse(line)
  process.stdout.write(`${JSON.stringify(await tasks[task](...parameters))}\n`)
}
