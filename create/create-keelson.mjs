#!/usr/bin/env node
// `npm create keelson [NAME]`: makes a project with an operator, its kind and its test.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';

const USAGE = `Usage: npm create keelson [NAME]

Makes a folder NAME with a Kubernetes operator in TypeScript: a kind of its own, a controller and a test. "." is this folder.`;

const DEFAULT_NAME = 'my-operator';

/** A package, an image and a Deployment are named so. */
const NAME = /^[a-z]([-a-z0-9]{0,48}[a-z0-9])?$/;

/** What a folder may have that is yet to become a project. */
const UNIMPORTANT = new Set(['.git', '.gitignore', '.idea', '.vscode', '.DS_Store']);

/** In packages, npm has uses of its own for files of these names. */
const STORED_AS = { gitignore: '.gitignore', 'package.template.json': 'package.json' };

class UsageError extends Error {}

async function create(args) {
  if (args.includes('--help') || args.includes('-h')) return USAGE;
  const flag = args.find((arg) => arg.startsWith('-'));
  if (flag !== undefined) throw new UsageError(`unknown flag "${flag}"`);
  if (args.length > 1) throw new UsageError('one name may be given');
  const target = args[0] ?? (await ask());
  const folder = resolve(target);
  const name = basename(folder);
  if (!NAME.test(name))
    throw new UsageError(
      `"${name}" cannot name a project: small letters, digits and "-", a letter first, 50 characters at most`,
    );
  const others = existsSync(folder) ? contentsOf(folder) : [];
  if (others.length > 0)
    throw new UsageError(`the folder "${target}" is not empty: it has ${others.slice(0, 3).join(', ')}`);
  await copyTemplate(folder, name);
  return nextSteps(folder);
}

/** The name, from whoever sits there; nobody does where the input is no terminal. */
async function ask() {
  if (process.stdin.isTTY !== true) return DEFAULT_NAME;
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return (await lines.question(`Name of the project (${DEFAULT_NAME}): `)).trim() || DEFAULT_NAME;
  } finally {
    lines.close();
  }
}

function contentsOf(folder) {
  try {
    return readdirSync(folder).filter((name) => !UNIMPORTANT.has(name));
  } catch (cause) {
    throw new UsageError(`cannot use "${folder}": ${cause.message}`);
  }
}

async function copyTemplate(folder, name) {
  const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));
  const template = new URL('template/', import.meta.url);
  await mkdir(folder, { recursive: true });
  for (const file of await readdir(template)) {
    const text = await readFile(new URL(file, template), 'utf8');
    const filled = text.replaceAll('PROJECT_NAME', name).replaceAll('KEELSON_VERSION', version);
    await writeFile(join(folder, STORED_AS[file] ?? file), filled);
  }
}

function nextSteps(folder) {
  const path = relative(process.cwd(), folder);
  const steps = [...(path === '' ? [] : [`cd ${quoted(path)}`]), 'npm install', 'npm test', 'npm run dev'];
  return `Made an operator in ${folder}. Next:\n\n${steps.map((step) => `  ${step}`).join('\n')}\n`;
}

/** A path as one word of a shell's line. */
function quoted(path) {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

try {
  console.log(await create(process.argv.slice(2)));
} catch (error) {
  console.error(`create-keelson: ${error.message}${error instanceof UsageError ? `\n\n${USAGE}` : ''}`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
