import {
  type Authenticator,
  type Authorizer,
  type Call,
  type ClientCertificate,
  firstOpinion,
  NO_OPINION,
  type UserInfo,
} from '../../apiserver/index.ts';

/** Who a program of this process is. */
interface ProgramIdentity {
  readonly user: string;
  readonly groups: readonly string[];
}

const AUTHENTICATED = 'system:authenticated';

/**
 * The programs that this process has started itself. They are known by the very object that they present, not by a name: nothing that
 * comes over a connection, and no other client of the process, can be taken for one of them.
 */
export class OwnPrograms implements Authenticator {
  readonly name = 'program of this process';
  readonly #users = new WeakMap<ClientCertificate, UserInfo>();
  readonly #known = new WeakSet<UserInfo>();

  /** What a program presents with its requests. */
  certificateOf({ user: name, groups }: ProgramIdentity): ClientCertificate {
    const certificate = { commonName: name, organizations: groups };
    const user = { name, groups: [...groups, AUTHENTICATED] };
    this.#users.set(certificate, user);
    this.#known.add(user);
    return certificate;
  }

  authenticate({ request: { certificate } }: Call): UserInfo | undefined {
    return typeof certificate === 'object' ? this.#users.get(certificate) : undefined;
  }

  /** Asks the authorizers, made when first needed, about own programs, and has no opinion about all other users. */
  rights(make: () => readonly Authorizer[]): Authorizer {
    let all: Authorizer | undefined;
    return {
      name: this.name,
      authorize: (request) =>
        this.#known.has(request.user) ? (all ??= firstOpinion(make())).authorize(request) : NO_OPINION,
    };
  }
}
