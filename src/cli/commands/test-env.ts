import type { Command } from '../command.ts';
export const testEnvCommand: Command = { name: 'test-env', summary: '', usage: '', async run() {} };
