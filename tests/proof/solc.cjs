#!/usr/bin/env node
// npm's solc behind the two calls that forge makes of a compiler; its own command refuses forge's options.
const solc = require(process.env.SOLC)

if (process.argv.includes("--version")) {
  const version = solc.version().replace("Emscripten.clang", "Linux.g++")
  console.log(`solc, the solidity compiler commandline interface\nVersion: ${version}`)
} else {
  process.stdout.write(solc.compile(require("fs").readFileSync(0, "utf8")))
}
