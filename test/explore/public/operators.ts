// Operators of others, at versions with mistakes that their own issue trackers describe.

/** A mistake that is known, and how explore should show it: the issue describes the end of the run, and no run has confirmed the pattern yet. */
export interface KnownMistake {
  readonly issue: string;
  /** Matches the message of a finding. */
  readonly message: RegExp;
  /** Versions that have it; the others that are listed do not. */
  readonly versions: readonly string[];
}

export interface PublicOperator {
  /** Also the folder of its scenario. */
  readonly name: string;
  readonly module: string;
  /** Versions that the Go proxy has, the oldest first. */
  readonly versions: readonly string[];
  /** The package with its program, in the module. */
  readonly program: string;
  /** The folder of its definitions, in the module. */
  readonly definitions: string;
  readonly mistakes: readonly KnownMistake[];
}

export const publicOperators: readonly PublicOperator[] = [
  {
    name: 'rabbitmq',
    module: 'github.com/rabbitmq/cluster-operator',
    versions: ['v1.8.0', 'v1.14.0'],
    program: '.',
    definitions: 'config/crd/bases',
    mistakes: [
      {
        issue: 'rabbitmq/cluster-operator#782',
        message: /PersistentVolumeClaim default\/persistence-web-server-0 has spec\.resources\.requests\.storage "1Gi"/,
        versions: ['v1.8.0'],
      },
    ],
  },
];
