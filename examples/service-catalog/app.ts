import { type App, app, type Controller, extensionServer } from 'keelson';
import { brokerClient } from 'keelson/broker';
import { bindingAdmission, brokerAdmission, clusterBrokerAdmission, instanceAdmission } from './admission.ts';
import { catalogApi } from './aggregated.ts';
import { bindings } from './bindings.ts';
import { clusterBrokers, type Connect, namespacedBrokers } from './catalog.ts';
import { instances } from './instances.ts';
import { catalogKinds } from './kinds.ts';

export interface CatalogAppOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default `brokerClient`. */
  readonly connect?: Connect;
}

/** Brokers mark classes and plans that have left the catalog, in their status. */
const needs = ['clusterserviceclasses', 'serviceclasses', 'clusterserviceplans', 'serviceplans'].map((plural) => ({
  group: 'servicecatalog.k8s.io',
  resource: `${plural}/status`,
  verbs: ['patch'],
}));

function parts(connect: Connect = brokerClient): Controller[] {
  return [clusterBrokers(connect), namespacedBrokers(connect), instances(connect), bindings(connect)];
}

/** The service catalog by CustomResourceDefinitions, with admission webhooks. */
export function catalogApp({ port = 0, connect }: CatalogAppOptions = {}): App {
  const server = extensionServer({
    admission: [clusterBrokerAdmission, brokerAdmission, instanceAdmission, bindingAdmission],
    port,
  });
  return app('service-catalog', parts(connect), { resources: [...catalogKinds], server, needs });
}

/** The service catalog by aggregation, as the original was: it is its own API server, and keeps its objects in a folder. */
export async function aggregatedCatalogApp(
  folder: string,
  { port = 0, connect }: CatalogAppOptions = {},
): Promise<App> {
  return app('service-catalog', parts(connect), {
    server: extensionServer({ apis: [await catalogApi(folder)], port }),
  });
}
