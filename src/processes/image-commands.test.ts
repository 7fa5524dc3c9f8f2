import { expect, test } from 'vitest';
import { readImageCommands } from './image-commands.ts';

function commandsFor(...images: readonly string[]) {
  const list = images.map((image) => `  - { image: ${JSON.stringify(image)}, command: [run] }`);
  return readImageCommands(
    `apiVersion: keelson.dev/v1\nkind: RunImages\nimages:\n${list.join('\n')}\n`,
    '/a/images.yaml',
  );
}

test.each([
  ['nginx', 'nginx', true],
  ['nginx', 'nginx:1.29', true],
  ['nginx', 'docker.io/library/nginx:1', true],
  ['nginx', 'nginx@sha256:00', true],
  ['nginx:1', 'nginx:1', true],
  ['nginx:1', 'nginx:2', false],
  ['nginx', 'acme/nginx', false],
  ['localhost:5000/app', 'localhost:5000/app:dev', true],
  ['localhost:5000/app', 'localhost:5000/application', false],
  ['ghcr.io/acme/*', 'ghcr.io/acme/operator:v1', true],
  ['ghcr.io/acme/*', 'ghcr.io/other/operator:v1', false],
  ['*/operator', 'ghcr.io/acme/operator:v1', true],
  ['*:dev', 'anything:dev', true],
  ['*:dev', 'anything:prod', false],
  ['a*a', 'a', false],
  ['*', 'anything', true],
])('%s stands for %s: %s', (pattern, image, expected) => {
  expect(commandsFor(pattern).find(image, 'default') !== undefined).toBe(expected);
});

test('the first match counts, and only in the namespaces that it names', () => {
  const commands = readImageCommands(
    `{ "apiVersion": "keelson.dev/v1", "kind": "RunImages", "images": [
      { "image": "app", "command": ["first"], "namespaces": ["dev"], "workingDirectory": "../app", "env": { "A": "1" } },
      { "image": "*", "command": ["second"], "args": [] } ] }`,
    '/home/joe/images.yaml',
  );
  expect(commands.find('app:1', 'dev')).toMatchObject({
    command: ['first'],
    workingDirectory: '/home/app',
    env: { A: '1' },
  });
  expect(commands.find('app:1', 'prod')).toMatchObject({
    command: ['second'],
    args: [],
    workingDirectory: '/home/joe',
  });
});

test.each([
  ['images: []', 'images must name at least one image and its command'],
  ['images: [{ command: [a] }]', 'images[0].image must be an image, got ""'],
  ['images: [{ image: a }]', 'images[0].command must be a list that begins with a program'],
  ['images: [{ image: a, command: [a], cmd: [b] }]', 'unknown field "images[0].cmd"'],
  ['images: [{ image: a, command: a }]', 'command'],
  ['images: [{ image: a, command: [a], env: { "a=b": c } }]', 'images[0].env has a variable that no program can read'],
  ['images: [{ image: a, command: [a], namespaces: [] }]', 'images[0].namespaces must name a namespace'],
])('%s is refused', (text, problem) => {
  const read = () => readImageCommands(`apiVersion: keelson.dev/v1\nkind: RunImages\n${text}\n`, 'images.yaml');
  expect(read).toThrow(problem);
  expect(read).toThrow('"images.yaml"');
});
