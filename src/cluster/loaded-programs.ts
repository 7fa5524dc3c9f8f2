import type { ControlPlane } from './control-plane.ts';
import type { AdmissionOptions } from './admission.ts';
import type { ClusterOptions } from './cluster-options.ts';
import type { ControlPlaneOptions } from './control-plane-options.ts';
import type { Program, ProgramBody, ProgramEntry } from './programs/program.ts';
import { programRoles } from './programs/program-roles.ts';
import { programs } from './programs/programs.ts';

export type Unstoppable<Options> = Omit<Options, 'signal'>;

/** A program that the cluster runs. */
export interface LoadedProgram {
  readonly program: Program;
  readonly body: ProgramBody;
}

/** Imports the programs that the options ask for, in the order of the list. */
export async function loadPrograms(options: Unstoppable<ClusterOptions>): Promise<readonly LoadedProgram[]> {
  const entries: readonly ProgramEntry[] = options.programs ?? programs;
  const all = await Promise.all(
    entries.map(async (entry) => {
      const { program } = await entry.load();
      return program.isWanted(options) ? { program, body: await program.load() } : undefined;
    }),
  );
  return all.filter((each) => each !== undefined);
}

/** The options of a cluster's API server, where they differ from those of one alone. */
export function planeOptions(
  options: Unstoppable<ClusterOptions>,
  loaded: readonly LoadedProgram[],
): Unstoppable<ControlPlaneOptions> {
  const bootstrapObjects = loaded.flatMap(({ program, body }) => [
    ...programRoles(program),
    ...(body.bootstrapObjects?.(options) ?? []),
  ]);
  return {
    ...options,
    admission: { ...options.admission, enable: enabledAdmission(options.admission) },
    bootstrapObjects: [...(options.bootstrapObjects ?? []), ...bootstrapObjects],
  };
}

export function serveResources(
  plane: ControlPlane,
  options: Unstoppable<ClusterOptions>,
  loaded: readonly LoadedProgram[],
): void {
  const context = { plane, options, isShared: isShared(options) };
  for (const { body } of loaded) plane.server.registry.register(body.resources?.(context) ?? []);
}

/** Whether other processes may work on the same store. */
export function isShared({ storage }: Pick<ClusterOptions, 'storage'>): boolean {
  return storage.type === 'etcd';
}

/** A cluster keeps its nodes from each other, as those of kubeadm do; an API server alone does so when a flag asks for it. */
function enabledAdmission({ enable = [], disable = [] }: AdmissionOptions = {}): readonly string[] {
  return disable.includes(NODE_RESTRICTION) ? enable : [...new Set([...enable, NODE_RESTRICTION])];
}

const NODE_RESTRICTION = 'NodeRestriction';
