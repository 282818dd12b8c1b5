// Runs transactions on @ethereumjs/vm by the rules of the fork that is the argument.
// Standard input: [private key, data, creates a table] for each. One that creates none goes to the last table.
// Standard output: [gas, logs] for each, where a log is [topics, data].
import { text } from "node:stream/consumers"
import { createBlock } from "@ethereumjs/block"
import { Common, Mainnet } from "@ethereumjs/common"
import { createFeeMarket1559Tx } from "@ethereumjs/tx"
import { bytesToHex, hexToBytes } from "@ethereumjs/util"
import { createVM, runTx } from "@ethereumjs/vm"

const common = new Common({ chain: Mainnet, hardfork: process.argv[2] })
const vm = await createVM({ common })
const block = createBlock({ header: { gasLimit: 60_000_000n, baseFeePerGas: 7n } }, { common })
const receipts = []
let table

for (const [key, data, creates] of JSON.parse(await text(process.stdin))) {
  const fields = { data, gasLimit: 10_000_000n, maxFeePerGas: 7n, to: creates ? undefined : table }
  const tx = createFeeMarket1559Tx(fields, { common }).sign(hexToBytes(key))
  const result = await runTx(vm, { tx, block, skipBalance: true, skipNonce: true })
  if (result.execResult.exceptionError) throw new Error(`transaction ${receipts.length}: ${result.execResult.exceptionError.error}`)
  table = result.createdAddress ?? table
  const logs = result.receipt.logs.map(([, topics, data]) => [topics.map(bytesToHex), bytesToHex(data)])
  receipts.push([Number(result.totalGasSpent), logs])
}
console.log(JSON.stringify(receipts))
