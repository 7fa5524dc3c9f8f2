import { Buffer } from 'node:buffer';
import type { Clock } from '../base/index.ts';
import {
  type ActionExecutor,
  type ActionOptions,
  type ActionOutcome,
  type ActionTarget,
  type ContainerAction,
  type ContainerReadiness,
  type ContainerStatus,
  ExpansionBudget,
  expandVariables,
  RuntimeError,
} from '../node/index.ts';
import { runToEnd } from './run-to-end.ts';
import type { SandboxRegistry } from './sandbox-registry.ts';
import type { ImageProgram } from './shell/index.ts';
import type { SimulatedContainer } from './simulated-container.ts';

/** The output of a command that events show. */
const MAX_OUTPUT = 10 * 1024;

/**
 * Answers probes and hooks: as the script says; commands that it says nothing about are run by the small shell, and all others succeed.
 *
 * A command that comes to a program of the image, which is not known here, succeeds.
 */
export class ScriptedActions implements ActionExecutor {
  readonly #clock: Clock;
  readonly #registry: SandboxRegistry;

  constructor(clock: Clock, registry: SandboxRegistry) {
    this.#clock = clock;
    this.#registry = registry;
  }

  readiness({ id }: ContainerStatus): ContainerReadiness {
    return this.#registry.findContainer(id)?.readiness ?? { isStarted: true, isReady: true };
  }

  async run({ exec }: ContainerAction, target: ActionTarget, options: ActionOptions): Promise<ActionOutcome> {
    const { containerId, purpose } = target;
    const container = this.#registry.running(containerId);
    const { readiness, unhealthyAtMs, script } = container;
    const { isStarted, isReady, changesAtMs } = readiness;
    if (exec !== undefined && !script.answeredProbes.has(purpose)) {
      return this.#exec(exec.command ?? [], container, { ...options, target });
    }
    switch (purpose) {
      case 'startup':
        return outcome(isStarted, changesAtMs);
      case 'readiness':
        return outcome(isReady, changesAtMs);
      case 'liveness':
        return outcome(this.#clock.now() < unhealthyAtMs, unhealthyAtMs);
      case 'postStart':
      case 'preStop':
        return outcome(true);
    }
  }

  async #exec(
    command: readonly string[],
    container: SimulatedContainer,
    { target, signal, timeoutMs }: ActionOptions & { readonly target: ActionTarget },
  ): Promise<ActionOutcome> {
    if (container.isImageProgram(command)) return outcome(container.script.execCode === 0);
    const values = new Map((target.container.env ?? []).map(({ name, value = '' }) => [name, value]));
    const budget = new ExpansionBudget();
    const cmd = command.map((word) => expandVariables(word, (name) => values.get(name), budget));
    await container.mounted();
    let needsImage = false;
    const imageProgram: ImageProgram = () => {
      needsImage = true;
      return Promise.resolve(0);
    };
    try {
      const { exitCode, stdout, stderr } = await runToEnd(
        cmd,
        { container, clock: this.#clock, imageProgram },
        { signal, timeoutMs },
      );
      const output = Buffer.concat([stdout, stderr]).subarray(0, MAX_OUTPUT).toString();
      const isSuccess = exitCode === 0 || (needsImage && container.script.execCode === 0);
      return { result: isSuccess ? 'success' : 'failure', output };
    } catch (error) {
      if (!(error instanceof RuntimeError) || error.reason !== 'DeadlineExceeded') throw error;
      return { result: 'failure', output: error.message };
    }
  }
}

function outcome(isSuccess: boolean, sameUntilMs = Infinity): ActionOutcome {
  return { result: isSuccess ? 'success' : 'failure', output: isSuccess ? '' : 'scripted', sameUntilMs };
}
