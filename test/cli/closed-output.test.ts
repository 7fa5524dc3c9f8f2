import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { BundledCommand } from '../support/bundled-command.ts';

let keelson: BundledCommand;
beforeAll(async () => {
  keelson = await BundledCommand.make();
});
afterAll(() => keelson[Symbol.asyncDispose]());

test.each([[['version']], [['up', '--in-memory', '--port=0', '--nodes=0', '--kubeconfig-out=KUBECONFIG']]])(
  'keelson %j ends in good order when the reader of its output has left',
  async (args) => {
    const given = args.map((arg) => arg.replace('KUBECONFIG', `${keelson.folder}/kubeconfig`));
    const child = spawn(process.execPath, [keelson.path, ...given], { stdio: ['ignore', 'pipe', 'pipe'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    child.stdout.destroy();
    const errors = text(child.stderr);
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await errors).toBe('');
  },
);
