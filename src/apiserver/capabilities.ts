/**
 * What a kind can do beyond what every resource can. Kubernetes' own kinds and custom resources differ in each of these
 * points, and a resource states them one by one.
 */
export interface Capabilities {
  /**
   * `structured`: JSON has the order of the type, and items of lists leave out their apiVersion and kind.
   * `unstructured`: JSON is sorted by name, items are complete, and nothing is added to what is there.
   */
  readonly objects: 'structured' | 'unstructured';
  /** Clients can ask for protobuf. */
  readonly hasProtobuf: boolean;
  /** The type says how lists are merged by strategic merge patches. */
  readonly hasStrategicMerge: boolean;
  /** Columns are made from the stored version, which no version has lost anything of, or are paths into the one asked for. */
  readonly tablesShow: 'stored' | 'served';
  /** Who refuses media types that are not there: the route, or the handler behind it, in words of its own. */
  readonly refusals: 'route' | 'handler';
  /** The style of discovery and OpenAPI; types that are not in the tables need `custom`. */
  readonly documents: 'built-in' | 'custom';
}

export const builtInCapabilities: Capabilities = {
  objects: 'structured',
  hasProtobuf: true,
  hasStrategicMerge: true,
  tablesShow: 'stored',
  refusals: 'route',
  documents: 'built-in',
};

export const customCapabilities: Capabilities = {
  objects: 'unstructured',
  hasProtobuf: false,
  hasStrategicMerge: false,
  tablesShow: 'served',
  refusals: 'handler',
  documents: 'custom',
};
