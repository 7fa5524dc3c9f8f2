import { ADDED_VERSIONS, parseRuntimeConfig } from '../../src/api/index.ts';
import { randomBytes } from 'node:crypto';
import { TOKEN_FILE } from '../../peers/index.ts';
import { startTestCluster, type TestCluster } from '../support/test-cluster.ts';
import { type Case, caseId } from './case.ts';
import { type NormalAnswer, normalize } from './normalize.ts';
import { playCase } from './play-case.ts';
import { Target } from './target.ts';

/** Plays a case and gives its answers in the form that is compared. */
export async function playOn(target: Target, played: Case): Promise<(NormalAnswer | undefined)[]> {
  const id = `case-${randomBytes(4).toString('hex')}`;
  try {
    return normalize(await playCase(played, target, id));
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Cannot play case ${caseId(played)} on ${target.server.href}: ${problem}`, { cause });
  }
}

/** Our API server, alone, as a target. */
export interface OwnTarget extends AsyncDisposable {
  readonly target: Target;
}

export async function startOwnTarget(): Promise<OwnTarget> {
  // The versions that are served beyond Kubernetes 1.36 are not in the recordings.
  const runtimeConfig = parseRuntimeConfig(...ADDED_VERSIONS.map((version) => `${version}=false`));
  const cluster: TestCluster = await startTestCluster({
    admission: { disable: [] },
    runtimeConfig,
    access: { tokenFile: TOKEN_FILE },
  });
  const { access } = cluster.plane;
  const { certificate, privateKey } = access.client;
  const target = new Target({ server: access.server, certificate, key: privateKey });
  return {
    target,
    async [Symbol.asyncDispose](): Promise<void> {
      target[Symbol.dispose]();
      await cluster[Symbol.asyncDispose]();
    },
  };
}
