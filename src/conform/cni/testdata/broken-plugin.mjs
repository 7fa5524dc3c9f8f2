#!/usr/bin/env node
// `broken-plugin.mjs KIND [FAULT…]`: the good plugin with faults.
import { runPlugin } from './good-plugin.mjs';

const [, , kind, ...faults] = process.argv;
runPlugin(kind, new Set(faults));
