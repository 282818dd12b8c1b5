// The table on @ethereumjs/evm. Does what each line of JSON asks and answers with a line of JSON; it knows nothing of the
// game, and judges nothing.
import { createInterface } from "node:readline"
import { Common, Hardfork, Mainnet } from "@ethereumjs/common"
import { createEVM } from "@ethereumjs/evm"
import { bytesToHex, createAddressFromString, hexToBytes } from "@ethereumjs/util"

const evm = await createEVM({ common: new Common({ chain: Mainnet, hardfork: Hardfork.Osaka }) })
const state = evm.stateManager
const SLOTS = [0, 1].map((slot) => hexToBytes(`0x${slot.toString(16).padStart(64, "0")}`))
const states = new Map()
let table, middle, reader

async function run({ from, to, data }) {
  const caller = createAddressFromString(from)
  const options = { caller, to, data: hexToBytes(data), gasLimit: 1_000_000n, skipBalance: true }
  const { execResult, createdAddress } = await evm.runCall(options)
  // As at the end of any transaction: otherwise the engine drags along what each of them has touched.
  await evm.journal.cleanup()
  state.originalStorageCache.clear()
  const { exceptionError, returnValue, logs } = execResult
  if (exceptionError && exceptionError.error !== "revert") throw exceptionError
  return { reverted: Boolean(exceptionError), output: bytesToHex(returnValue), logs, createdAddress }
}

/** The output of what reverted, the logs of what did not. */
async function send({ from, data, through }) {
  const { reverted, output, logs = [] } = await run({ from, to: through ? middle : table, data })
  if (reverted) return output
  return logs.map(([, topics, data]) => ({ topics: topics.map(bytesToHex), data: bytesToHex(data) }))
}

/** The slots and what gameState() returns: it reads nothing else and is slow, so it runs once for each two slots. */
async function standing() {
  const slots = await Promise.all(SLOTS.map(async (slot) => bytesToHex(await state.getStorage(table, slot))))
  const key = slots.join()
  if (!states.has(key)) states.set(key, (await run(reader)).output)
  return [slots, states.get(key)]
}

async function setSlots(slots) {
  for (const i of [0, 1]) await state.putStorage(table, SLOTS[i], hexToBytes(slots[i]))
}

async function explored({ slots, refused, legal }) {
  await setSlots(slots)
  const seen = { refused: [], legal: [] }
  for (const message of refused) seen.refused.push(await send(message))
  seen.standing = await standing()
  for (const message of legal) {
    await setSlots(slots)
    seen.legal.push([await send(message), ...(await standing())])
  }
  return seen
}

const tasks = {
  async deploy(creation) {
    table = (await run(creation)).createdAddress
    return table.toString()
  },
  async prepare(readingState, contractInTheMiddle, code) {
    reader = { ...readingState, to: table }
    middle = createAddressFromString(contractInTheMiddle)
    await state.putCode(middle, hexToBytes(code))
    return null
  },
  async explore(positions) {
    const seen = []
    for (const position of positions) seen.push(await explored(position))
    return seen
  },
}

for await (const line of createInterface({ input: process.stdin })) {
  const [task, ...asked] = JSON.parse(line)
  process.stdout.write(`${JSON.stringify(await tasks[task](...asked))}\n`)
}
