#!/usr/bin/env node
/** Commands that are started often and load little: `light-commands.ts` has them. */
const LIGHT = ['test-env', 'etcd', 'kube-apiserver', 'dev-app'];

const args = process.argv.slice(2);
const run = LIGHT.includes(args[0] ?? '')
  ? (await import('./light-commands.ts')).runLightProgram
  : (await import('./program.ts')).runProgram;
process.exitCode = await run(args, process);
