import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '../../base/index.ts';
import { type NodeAnswer, type NodeRequest, refusal } from './node-request.ts';
import type { SystemLogOptions } from './serving-options.ts';

const MAX_TAIL_LINES = 100_000;
const MAX_SERVICES = 4;
const SERVICE = /^[A-Za-z0-9@][A-Za-z0-9_.:@-]{0,255}$/;
const JOURNAL_TIMEOUT_MS = 30_000;
const MAX_JOURNAL_BYTES = 64 * 1024 * 1024;
/** Parameters that select parts of a service's log. */
const OPTIONS = ['sinceTime', 'untilTime', 'tailLines', 'boot', 'pattern'];

const run = promisify(execFile);

/** `/logs/…`: the machine's log files, and with `?query=` the logs of its services. */
export async function systemLog(request: NodeRequest, options: SystemLogOptions): Promise<NodeAnswer> {
  const path = request.path.slice('/logs'.length).replace(/^\/+/, '');
  const { query } = request;
  const isQuery = query.has('query') || OPTIONS.some((name) => query.has(name));
  if (path === '' && isQuery && options.hasQuery) return queried(query, options.folder);
  return file(request.path, path, options.folder);
}

/** A file, or the list of a folder as Go's file server shows it. */
async function file(asked: string, path: string, folder: string): Promise<NodeAnswer> {
  const place = await insideOf(folder, decodeURIComponent(path));
  if (place === undefined) return refusal(404, '404 page not found\n');
  const found = await stat(place);
  if (!found.isDirectory()) return { type: 'stream', body: createReadStream(place) };
  if (!asked.endsWith('/')) return { type: 'text', code: 301, text: '', location: `${asked.split('/').at(-1) ?? ''}/` };
  const entries = await readdir(place, { withFileTypes: true });
  const lines = entries
    .map((entry) => `${entry.name}${entry.isDirectory() ? '/' : ''}`)
    .toSorted()
    .map((name) => `<a href="${encodeURI(escaped(name))}">${escaped(name)}</a>\n`);
  const text = `<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n${lines.join('')}</pre>\n`;
  return { type: 'text', code: 200, text, contentType: 'text/html; charset=utf-8' };
}

/** The real path of a file in a folder; undefined for one that does not exist, or to which a link leads out of the folder. */
async function insideOf(folder: string, path: string): Promise<string | undefined> {
  try {
    const root = await realpath(folder);
    const place = await realpath(join(root, path));
    return place === root || place.startsWith(`${root}${sep}`) ? place : undefined;
  } catch {
    return undefined;
  }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&#34;');
}

async function queried(query: URLSearchParams, folder: string): Promise<NodeAnswer> {
  const asked = query.getAll('query').filter((text) => text.trim() !== '');
  const files = asked.filter((text) => /[/\\]/.test(text));
  const services = asked.filter((text) => !files.includes(text));
  const hasOptions = OPTIONS.some((name) => query.has(name));
  const problem = await problemOf({ query, files, services, hasOptions, folder });
  if (problem !== undefined) return refusal(400, `${problem}\n`);
  const [path] = files;
  if (path !== undefined) return { type: 'text', code: 200, text: await textOf(folder, path) };
  const texts: string[] = [];
  for (const service of services) texts.push(await serviceLog(service, { query, folder, hasOptions }));
  return { type: 'text', code: 200, text: texts.join('') };
}

interface LogQuery {
  readonly query: URLSearchParams;
  readonly files: readonly string[];
  readonly services: readonly string[];
  readonly hasOptions: boolean;
  readonly folder: string;
}

async function problemOf({ query, files, services, hasOptions, folder }: LogQuery): Promise<string | undefined> {
  if (files.length + services.length === 0)
    return query.has('query')
      ? `query: Invalid value: ${JSON.stringify(query.getAll('query'))}: may not be empty`
      : 'query: Required value: cannot be empty with options';
  if (files.length > 0 && services.length > 0)
    return `query: Invalid value: "[${files.join(' ')}], [${services.join(' ')}]": cannot specify a file and service`;
  if (files.length > 1) return `query: Invalid value: ${JSON.stringify(files)}: cannot specify more than one file`;
  if (files.length === 1 && hasOptions)
    return `query: Invalid value: ${JSON.stringify(files)}: cannot specify file with options`;
  const [path] = files;
  if (path !== undefined && (await insideOf(folder, path)) === undefined)
    return `query: Invalid value: ${JSON.stringify(files)}: no such file or directory`;
  if (services.length > MAX_SERVICES)
    return `query: Too many: ${services.length}: must have at most ${MAX_SERVICES} items`;
  const unsafe = services.find((service) => !SERVICE.test(service));
  if (unsafe !== undefined) return `query: Invalid value: "${unsafe}": input contains unsupported characters`;
  return optionProblem(query);
}

function optionProblem(query: URLSearchParams): string | undefined {
  for (const name of ['sinceTime', 'untilTime']) {
    const text = query.get(name);
    if (text !== null && Number.isNaN(Date.parse(text)))
      return `${name}: Invalid value: "${text}": invalid time format`;
  }
  const [tailLines, boot] = ['tailLines', 'boot'].map((name) => query.get(name));
  if (typeof tailLines === 'string' && !(Number(tailLines) >= 0 && Number(tailLines) <= MAX_TAIL_LINES))
    return `tailLines: Invalid value: ${tailLines}: must be between 0 and ${MAX_TAIL_LINES}, inclusive`;
  if (typeof boot === 'string' && !/^-?\d+$/.test(boot)) return `boot: Invalid value: "${boot}": invalid syntax`;
  if (typeof boot === 'string' && Number(boot) > 0) return `boot: Invalid value: ${boot}: must be less than 1`;
  return undefined;
}

/** From the journal, if the service writes there, or else from the file that is named after it. */
async function serviceLog(
  service: string,
  { query, folder, hasOptions }: Pick<LogQuery, 'query' | 'folder' | 'hasOptions'>,
): Promise<string> {
  const journal = await journalOf(service, query);
  if (journal !== undefined) return journal;
  if (hasOptions)
    return `\noptions present and query resolved to log files for [${service}]\ntry without specifying options\n`;
  for (const name of [service, `${service}.log`, `${service}/${service}.log`]) {
    const place = await insideOf(folder, name);
    if (place !== undefined && (await stat(place)).isFile()) return textOf(folder, name);
  }
  return `\nlog not found for ${service}\n`;
}

/** Undefined where there is no journal, or nothing in it about the service. */
async function journalOf(service: string, query: URLSearchParams): Promise<string | undefined> {
  const args = ['--utc', '--no-pager', '--output=short-precise', `--unit=${service}`];
  const given = (name: string, flag: string): void => {
    const text = query.get(name);
    if (text !== null) args.push(`--${flag}=${text}`);
  };
  const time = (name: string, flag: string): void => {
    const text = query.get(name);
    if (text !== null) args.push(`--${flag}=${new Date(text).toISOString().slice(0, 19).replace('T', ' ')} UTC`);
  };
  time('sinceTime', 'since');
  time('untilTime', 'until');
  given('tailLines', 'lines');
  given('pattern', 'grep');
  args.push(`--boot=${query.get('boot') ?? '0'}`);
  try {
    const { stdout } = await run('journalctl', args, { timeout: JOURNAL_TIMEOUT_MS, maxBuffer: MAX_JOURNAL_BYTES });
    return stdout === '' || stdout.startsWith('-- No entries --') ? undefined : stdout;
  } catch {
    return undefined; // no journal on this machine, or none for this boot
  }
}

/** The last part of a file that fits an answer. */
async function textOf(folder: string, path: string): Promise<string> {
  const place = await insideOf(folder, path);
  if (place === undefined) return `\nlog not found for ${path}\n`;
  const opened = await open(place);
  try {
    const { size } = await opened.stat();
    const length = Math.min(size, MAX_JOURNAL_BYTES);
    const { buffer, bytesRead } = await opened.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.subarray(0, bytesRead).toString();
  } catch (error) {
    return `\nerror getting log for ${path}: ${messageOf(error)}\n`;
  } finally {
    await opened.close();
  }
}
