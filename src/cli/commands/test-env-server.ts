import type { Command } from '../command.ts';
export const testEnvServerCommand: Command = {
  name: 'test-env-server',
  summary: '',
  usage: '',
  isHidden: true,
  async run() {},
};
