import type { Chance } from './chance.ts';

export type Part = Record<string, unknown>;

/** A kind that is written at random: how its configurations look, and what else can be written of it. */
export interface VectorKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** A configuration that Kubernetes accepts on its own, without metadata. */
  config(chance: Chance): Part;
  /** What may be written to its status. */
  status?(chance: Chance): Part;
  readonly hasScale?: boolean;
  /** Applied whole only: what is left out is filled in by admission plugins. */
  readonly isAppliedWhole?: boolean;
  /** The same objects in another version. */
  readonly otherVersion?: { readonly apiVersion: string; config(chance: Chance): Part };
}
