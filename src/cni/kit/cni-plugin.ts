import { asCniError, type CniError } from '../cni-error.ts';
import { CNI_VERSIONS, CURRENT_VERSION } from '../cni-version.ts';
import { parseObject } from '../field-reader.ts';
import type { CniResult } from '../results/cni-result.ts';
import { convertResult } from '../results/convert-result.ts';
import { resultOf } from '../results/read-result.ts';
import {
  checkConfigurationSchema,
  type ConfigurationOf,
  type ConfigurationSchema,
  readBySchema,
} from './configuration-schema.ts';
import { type CniCommand, type Environment, type PluginRequest, readCommand, readRequest } from './plugin-request.ts';
import { CallTools, checkNamespace, type PluginTools } from './plugin-tools.ts';

/** How a plugin was called, with its configuration, and what it may use. */
export interface CniRequest<Config = unknown> extends Omit<PluginRequest, 'fields' | 'input'>, PluginTools {
  readonly config: Config;
}

type Answer<T> = T | Promise<T>;

/** What a network plugin is called, how its configuration looks, and what it does for each command. */
export interface CniPluginDefinition<Schema extends ConfigurationSchema> {
  /** The name of the program, which is `type` in configurations. */
  readonly name: string;
  /** How its configuration looks: a schema of zod, valibot or arktype, or a literal JSON Schema. Default anything. */
  readonly config?: Schema;
  /** Versions of the specification that it supports; default all from 0.3.0. Results are converted. */
  readonly versions?: readonly string[];
  /** Plugins that it hands calls to. CHECK, DEL, GC and STATUS reach them without its doing; in `add` it calls `delegate`. */
  delegates?(config: ConfigurationOf<Schema>): readonly string[];
  /** Connects the container. Without a result, the one of the plugin before is passed on. */
  add(request: CniRequest<ConfigurationOf<Schema>>): Answer<CniResult | void>;
  /** Throws when something is not as `add` made it. */
  check?(request: CniRequest<ConfigurationOf<Schema>>): Answer<void>;
  /** Removes what `add` made, as far as it is there. May be called again, and without a namespace. */
  del?(request: CniRequest<ConfigurationOf<Schema>>): Answer<void>;
  /** Removes what is left of attachments that are not in `validAttachments`. */
  gc?(request: CniRequest<ConfigurationOf<Schema>>): Answer<void>;
  /** Throws when no container can be added now: `new CniError('NotAvailable', …)`. */
  status?(request: CniRequest<ConfigurationOf<Schema>>): Answer<void>;
}

/** How a plugin is called: what the runtime has put into its environment and on its standard input. */
export interface PluginCallOptions {
  readonly environment: Environment;
  readonly input: string;
}

/** What a plugin answers. */
export interface PluginAnswer {
  readonly code: 0 | 1;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * A CNI plugin from a few functions. A program that calls `main()` is the plugin:
 * `cniPlugin({ name: 'tag', add: ({ args }) => note(args) }).main()`.
 */
export function cniPlugin<const Schema extends ConfigurationSchema = ConfigurationSchema>(
  definition: CniPluginDefinition<Schema>,
): CniPlugin {
  const { name, config, versions = DEFAULT_VERSIONS } = definition;
  if (config !== undefined) checkConfigurationSchema(config);
  return new CniPlugin({ name, versions, answer: (request, tools) => answer(definition, request, tools) });
}

/** A plugin whose configuration has a type that only `answer` knows. */
interface PluginParts {
  readonly name: string;
  readonly versions: readonly string[];
  answer(request: PluginRequest, tools: CallTools): Promise<object | undefined>;
}

const DEFAULT_VERSIONS: readonly string[] = CNI_VERSIONS.slice(CNI_VERSIONS.indexOf('0.3.0'));
const MAX_INPUT_BYTES = 4 * 1024 * 1024;

/** A network plugin, made by `cniPlugin()`; `main()` answers the call that the process was started for. */
export class CniPlugin {
  readonly name: string;
  readonly #parts: PluginParts;

  constructor(parts: PluginParts) {
    this.name = parts.name;
    this.#parts = parts;
  }

  /** One call, as the program would be called; for tests. */
  async run({ environment, input }: PluginCallOptions): Promise<PluginAnswer> {
    let stderr = '';
    const { versions } = this.#parts;
    let cniVersion: string = CURRENT_VERSION;
    try {
      const command = readCommand(environment);
      if (command === 'VERSION') return { code: 0, stdout: this.#versionsFor(input), stderr };
      const request = readRequest(command, { environment, input, versions });
      ({ cniVersion } = request);
      const tools = new CallTools(request, environment, (text) => (stderr += text));
      const result = await this.#parts.answer(request, tools);
      return { code: 0, stdout: result === undefined ? '' : printed(result), stderr };
    } catch (error) {
      const failure = asCniError(error);
      if ((environment['CNI_COMMAND'] ?? '') === '')
        stderr += `${this.name} is a CNI plugin, for container runtimes to call; it supports ${versions.join(', ')}\n`;
      return { code: 1, stdout: printed(failure.toObject(cniVersion)), stderr };
    }
  }

  /** Runs as this process: with its environment and standard input. Sets the exit code. */
  async main(): Promise<void> {
    const { code, stdout, stderr } = await this.run(await processCall());
    if (stderr !== '') process.stderr.write(stderr);
    process.stdout.write(stdout);
    process.exitCode = code;
  }

  #versionsFor(input: string): string {
    const asked = input.trim() === '' ? undefined : parseObject(input, 'the input of VERSION')['cniVersion'];
    const cniVersion = typeof asked === 'string' && asked !== '' ? asked : CURRENT_VERSION;
    return printed({ cniVersion, supportedVersions: this.#parts.versions });
  }
}

async function answer<Schema extends ConfigurationSchema>(
  definition: CniPluginDefinition<Schema>,
  request: PluginRequest,
  tools: CallTools,
): Promise<object | undefined> {
  const { command, netns } = request;
  if (command === 'ADD' || command === 'CHECK') await checkNamespace(netns);
  const { onHost, inContainer, delegate } = tools;
  const { fields, input: _, ...asked } = request;
  const full = { ...asked, config: await readBySchema(definition.config, fields), onHost, inContainer, delegate };
  if (command !== 'ADD') return await answerOther(definition, { ...full, command }, tools);
  try {
    const made = (await definition.add(full)) ?? request.prevResult ?? {};
    return convertResult(resultOf({ ...made, cniVersion: CURRENT_VERSION }), request.cniVersion);
  } catch (error) {
    await tools.undo();
    throw error;
  }
}

/** The plugin itself and those that it hands calls to are all asked, whatever the others say; the first error is the answer. */
async function answerOther<Schema extends ConfigurationSchema>(
  { delegates, check, del, gc, status }: CniPluginDefinition<Schema>,
  request: CniRequest<ConfigurationOf<Schema>> & { readonly command: Exclude<CniCommand, 'ADD'> },
  tools: CallTools,
): Promise<undefined> {
  const { command, config } = request;
  const own = { CHECK: check, DEL: del, GC: gc, STATUS: status }[command];
  const steps: (() => Answer<unknown>)[] = [() => own?.(request)];
  for (const type of delegates?.(config) ?? []) steps.push(() => tools.call(type, command));
  let failure: CniError | undefined;
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failure ??= asCniError(error);
    }
  }
  if (failure !== undefined) throw failure;
  return undefined;
}

function printed(value: object): string {
  return `${JSON.stringify(value, undefined, 4)}\n`;
}

async function processCall(): Promise<PluginCallOptions> {
  const chunks: Buffer[] = [];
  let length = 0;
  if (process.stdin.isTTY !== true)
    for await (const chunk of process.stdin) {
      length += (chunk as Buffer).length;
      if (length > MAX_INPUT_BYTES) break; // what is there is no whole JSON, which is the answer
      chunks.push(chunk as Buffer);
    }
  return { environment: process.env, input: Buffer.concat(chunks).toString('utf8') };
}
