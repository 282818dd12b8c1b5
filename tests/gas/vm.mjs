// Runs signed transactions on @ethereumjs/vm under the rules of one fork, and prints what each of them cost.
// Standard input: {fork, transactions: [{key, table, data}]}; without a table, a transaction creates the next one.
import { text } from "node:stream/consumers"
import { createBlock } from "@ethereumjs/block"
import { Common, Mainnet } from "@ethereumjs/common"
import { createFeeMarket1559Tx } from "@ethereumjs/tx"
import { Account, hexToBytes } from "@ethereumjs/util"
import { createVM, runTx } from "@ethereumjs/vm"

const { fork, transactions } = JSON.parse(await text(process.stdin))
const common = new Common({ chain: Mainnet, hardfork: fork })
const vm = await createVM({ common })
const block = createBlock({ header: { gasLimit: 60_000_000n, baseFeePerGas: 7n } }, { common })
const tables = []
const receipts = []

for (const { key, table, data } of transactions) {
  const fields = { data, gasLimit: 10_000_000n, maxFeePerGas: 7n, to: tables[table] }
  const unsigned = createFeeMarket1559Tx(fields, { common })
  const sender = unsigned.sign(hexToBytes(key)).getSenderAddress()
  const { nonce } = (await vm.stateManager.getAccount(sender)) ?? new Account()
  await vm.stateManager.putAccount(sender, new Account(nonce, 10n ** 18n))

  const tx = createFeeMarket1559Tx({ ...fields, nonce }, { common }).sign(hexToBytes(key))
  const { totalGasSpent, createdAddress, execResult } = await runTx(vm, { tx, block })
  if (execResult.exceptionError) throw new Error(`transaction ${receipts.length}: ${execResult.exceptionError.error}`)
  if (createdAddress) tables.push(createdAddress)
  const code = createdAddress ? (await vm.stateManager.getCode(createdAddress)).length : 0
  receipts.push({ gas: Number(totalGasSpent), logs: execResult.logs?.length ?? 0, code })
}
console.log(JSON.stringify(receipts))
