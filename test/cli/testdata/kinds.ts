// Made by `keelson types`. Changes are lost when it is made again.
import { clusterKind, type KubernetesObject, namespacedKind } from 'keelson/client';

export interface Foo extends KubernetesObject {
  [field: string]: unknown;
}
export const Foo = namespacedKind<Foo>({ apiVersion: 'samplecontroller.k8s.io/v1alpha1', kind: 'Foo', plural: 'foos' });

/** A Widget does * / what widgets do. */
export interface ExampleWidget extends KubernetesObject {
  spec: {
    any?: unknown;
    labels?: { [key: string]: string };
    'max-surge'?: number | string;
    mode?: 'fast' | 'safe';
    modes?: ('a' | 'b')[];
    note?: string | null;
    ports: {
      name?: string;
      port: number;
    }[];
    raw?: { [key: string]: unknown };
    /** How large it is. */
    size: number;
    template?: KubernetesObject & { [field: string]: unknown };
  };
  status?: {
    ready?: boolean;
    [field: string]: unknown;
  };
}
export const ExampleWidget = namespacedKind<ExampleWidget>({ apiVersion: 'example.dev/v1', kind: 'Widget', plural: 'widgets' });

export interface ExampleWidgetV1beta1 extends KubernetesObject {
  spec?: {
    size?: string;
  };
}
export const ExampleWidgetV1beta1 = namespacedKind<ExampleWidgetV1beta1>({ apiVersion: 'example.dev/v1beta1', kind: 'Widget', plural: 'widgets' });

export interface OtherWidget extends KubernetesObject {
  spec?: { [key: string]: unknown };
}
export const OtherWidget = clusterKind<OtherWidget>({ apiVersion: 'other.dev/v1', kind: 'Widget', plural: 'widgets' });
