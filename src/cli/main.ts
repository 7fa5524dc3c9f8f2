#!/usr/bin/env node
import module from 'node:module';

/** Commands that are started often and load little: `light-commands.ts` has them. */
const LIGHT = ['test-env', 'etcd', 'kube-apiserver', 'dev-app'];

// Node.js 22 and later keep what they compiled from one start to the next, in the folder for temporary files
(module as { enableCompileCache?(): unknown }).enableCompileCache?.();

const args = process.argv.slice(2);
const run = LIGHT.includes(args[0] ?? '')
  ? (await import('./light-commands.ts')).runLightProgram
  : (await import('./program.ts')).runProgram;
process.exitCode = await run(args, process);
