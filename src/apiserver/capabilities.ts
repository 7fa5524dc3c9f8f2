/** How a kind behaves where built-in kinds and custom resources differ; a resource states each point separately. */
export interface Capabilities {
  /**
   * `structured`: JSON has the order of the type, and items of lists omit apiVersion and kind. `unstructured`: JSON is sorted by name,
   * items are complete, and nothing is added to the object's fields.
   */
  readonly objects: 'structured' | 'unstructured';
  /** Whether clients can ask for protobuf. */
  readonly hasProtobuf: boolean;
  /** Whether the type defines how strategic merge patches merge lists. */
  readonly hasStrategicMerge: boolean;
  /** Whether table columns are computed from the stored version, which has all fields, or are paths into the requested version. */
  readonly tablesShow: 'stored' | 'served';
  /** Whether the route rejects unsupported media types, or the handler, whose message differs. */
  readonly refusals: 'route' | 'handler';
  /** The style of discovery and OpenAPI; types that are not in the generated tables need `custom`. */
  readonly documents: 'built-in' | 'custom';
}

/** How kinds of Kubernetes itself behave. */
export const builtInCapabilities: Capabilities = {
  objects: 'structured',
  hasProtobuf: true,
  hasStrategicMerge: true,
  tablesShow: 'stored',
  refusals: 'route',
  documents: 'built-in',
};

/** How custom resources behave. */
export const customCapabilities: Capabilities = {
  objects: 'unstructured',
  hasProtobuf: false,
  hasStrategicMerge: false,
  tablesShow: 'served',
  refusals: 'handler',
  documents: 'custom',
};
