import { TokenSigner } from '../../../access/index.ts';
import { typeWarnings } from '../../../admission/index.ts';
import { type Clock, RandomUidSource, type Runnable } from '../../../base/index.ts';
import type { Client } from '../../../client/index.ts';
import {
  builtInControllers,
  type CheckPolicyTypes,
  chooseControllers,
  type ControllerSettings,
} from '../../../controllers/index.ts';
import type { ProgramPart } from '../../../kit/index.ts';
import type { Credential } from '../../../wire/certificates/index.ts';
import { type ProgramOptions, runProgram } from '../run-program.ts';
import { KnownTypes } from './known-types.ts';

export interface ControllerManagerOptions extends ProgramOptions {
  readonly clock: Clock;
  /** Which controllers run, in the words of kube-controller-manager's `--controllers`; default `*`. */
  readonly controllers?: readonly string[];
  readonly settings?: ControllerSettings;
  /** PEM of the authorities that pods are to trust when they talk to the server. */
  readonly rootCertificate: string;
  /** Signs the certificates of approved CertificateSigningRequests; default none are signed. */
  readonly signing?: Credential;
  /** PEM of the key that signs tokens for Secrets; default no tokens are made. */
  readonly serviceAccountKey?: string;
  /** The client of a controller's service account; default all act as the program. */
  readonly clientFor?: (account: string) => Client;
}

/** The built-in controllers as a program of their own, on any API server. */
export class ControllerManager implements Runnable {
  readonly #options: ControllerManagerOptions;
  readonly #client: Client;

  constructor(client: Client, options: ControllerManagerOptions) {
    this.#client = client;
    this.#options = options;
  }

  run(signal: AbortSignal): Promise<void> {
    const { random, election = false, serving, clientFor } = this.#options;
    const parts = this.#parts();
    const accounts = new Set(parts.map(({ account }) => account));
    return runProgram(
      {
        name: 'kube-controller-manager',
        parts,
        client: this.#client,
        random,
        election,
        ...(serving === undefined ? {} : { serving }),
        clientFor: (writer) => (accounts.has(writer) ? clientFor?.(writer) : undefined),
      },
      signal,
    );
  }

  #parts(): readonly ProgramPart[] {
    const { controllers = ['*'], settings, rootCertificate, signing, serviceAccountKey, clock, random } = this.#options;
    const signer =
      serviceAccountKey === undefined
        ? undefined
        : new TokenSigner({
            issuer: '',
            privateKey: serviceAccountKey,
            uids: new RandomUidSource(random),
            apiAudiences: [],
          });
    const all = builtInControllers({
      rootCertificate,
      settings,
      checkPolicyTypes: typeChecks(),
      ...(signer === undefined ? {} : { signToken: (wish) => signer.legacyToken(wish) }),
      ...(signing === undefined ? {} : { signing: { authority: () => signing, clock } }),
    });
    return chooseControllers(all, controllers);
  }
}

/** Checks the types of policies' expressions by what definitions say; the tables are read when the first policy is. */
function typeChecks(): CheckPolicyTypes {
  let types: KnownTypes | undefined;
  const check: CheckPolicyTypes = (policy, definitions) => {
    types ??= new KnownTypes();
    return typeWarnings(policy, types.with(definitions));
  };
  return Object.assign(check, { needsDefinitions: true });
}
