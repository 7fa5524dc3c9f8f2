import { type App, app, extensionServer } from 'keelson';
import { bindingAdmission, instanceAdmission } from './admission.ts';
import { catalogApi } from './aggregated.ts';
import { bindings } from './bindings.ts';
import { clusterBrokers, namespacedBrokers } from './catalog.ts';
import { instances } from './instances.ts';
import { catalogKinds } from './kinds.ts';

const parts = [clusterBrokers, namespacedBrokers, instances, bindings];

/** The service catalog by CustomResourceDefinitions, with admission webhooks. */
export function catalogApp({ port = 0 }: { readonly port?: number } = {}): App {
  const server = extensionServer({ admission: [instanceAdmission, bindingAdmission], port });
  return app('service-catalog', parts, { resources: [...catalogKinds], server });
}

/** The service catalog by aggregation, as the original was: it is its own API server, and keeps its objects in a folder. */
export async function aggregatedCatalogApp(
  folder: string,
  { port = 0 }: { readonly port?: number } = {},
): Promise<App> {
  return app('service-catalog', parts, { server: extensionServer({ apis: [await catalogApi(folder)], port }) });
}
