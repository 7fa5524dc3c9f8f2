#!/usr/bin/env node
import module from 'node:module';

// Node.js 22 and later keep what they compiled from one start to the next, in the folder for temporary files
(module as { enableCompileCache?(): unknown }).enableCompileCache?.();

const { runProgram } = await import('./program.ts');
process.exitCode = await runProgram(process.argv.slice(2), process);
