import type { Answer, Call, PathHandler } from '../apiserver/index.ts';
import type { ProgramFence } from './program-fence.ts';

/**
 * `/readyz/programs`: whether the cluster's programs may run, and why not. It is not a part of `/readyz`: the API serves without them,
 * and a person needs it to remove what they fail on.
 */
export class ProgramsPath implements PathHandler {
  readonly #fence: Pick<ProgramFence, 'heldBack'>;

  constructor(fence: Pick<ProgramFence, 'heldBack'>) {
    this.#fence = fence;
  }

  async handle(call: Call): Promise<Answer | undefined> {
    if (call.request.path !== '/readyz/programs') return undefined;
    const { heldBack } = this.#fence;
    return {
      type: 'bytes',
      code: heldBack === undefined ? 200 : 500,
      contentType: 'text/plain; charset=utf-8',
      body: heldBack === undefined ? 'ok' : `internal server error: programs are off: ${heldBack}\n`,
      headers: { 'x-content-type-options': 'nosniff' },
    };
  }
}
