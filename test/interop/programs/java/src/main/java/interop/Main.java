package interop;

import static interop.Report.eventually;
import static interop.Report.expect;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ConfigMapList;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Version;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/** A program on the fabric8 client: its builders, informers, patches, applies and leader election. */
public final class Main {
  private static final int MANY = 25;

  private final KubernetesClient client;
  private final String namespace;

  private Main(KubernetesClient client, String namespace) {
    this.client = client;
    this.namespace = namespace;
  }

  public static void main(String[] arguments) throws Exception {
    String namespace = arguments.length == 2 && arguments[0].equals("--namespace") ? arguments[1] : "interop-fabric8";
    Report report = new Report("Java fabric8", Version.clientVersion());
    try (KubernetesClient client = new KubernetesClientBuilder().build()) {
      Main program = new Main(client, namespace);
      report.step("create", program::create);
      report.step("list", program::list);
      report.step("watch", program::watch);
      report.step("merge patch", program::mergePatch);
      report.step("strategic patch", program::strategicPatch);
      report.step("apply", program::apply);
      report.step("delete", program::delete);
      report.step("lead", () -> Election.run(client, namespace));
      client.namespaces().withName(namespace).delete();
    }
    report.print();
    System.exit(0); // threads of the client may linger
  }

  private void create() throws Exception {
    client.resource(new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build()).create();
    for (int index = 0; index < MANY; index++) {
      String name = String.format("many-%02d", index);
      client.configMaps().inNamespace(namespace).resource(configMap(name, Map.of("set", "many"), Map.of("index", "" + index))).create();
    }
    eventually("the default ServiceAccount is there",
        () -> client.serviceAccounts().inNamespace(namespace).withName("default").get() != null);
    client.pods().inNamespace(namespace).resource(new PodBuilder()
        .withNewMetadata().withName("alone").endMetadata()
        .withNewSpec().addNewContainer().withName("main").withImage("registry.invalid/main:1").endContainer().endSpec()
        .build()).create();
    Deployment made = client.apps().deployments().inNamespace(namespace).resource(deployment("web")).create();
    expect(made.getSpec().getStrategy().getRollingUpdate().getMaxSurge().getStrVal().equals("25%"), "no defaults");
    eventually("the Deployment has a ReplicaSet",
        () -> client.apps().replicaSets().inNamespace(namespace).withLabel("app", "web").list().getItems().size() == 1);
  }

  private void list() {
    Set<String> names = new HashSet<>();
    List<Integer> pages = new ArrayList<>();
    String more = null;
    do {
      ConfigMapList page = client.configMaps().inNamespace(namespace).withLabel("set", "many")
          .list(new ListOptionsBuilder().withLimit(10L).withContinue(more).build());
      page.getItems().forEach(item -> names.add(item.getMetadata().getName()));
      pages.add(page.getItems().size());
      more = page.getMetadata().getContinue();
    } while (more != null && !more.isEmpty());
    expect(names.size() == MANY && pages.equals(List.of(10, 10, 5)), names.size() + " names on pages of " + pages);
  }

  /** The client's informer: one object goes through its life, and the cache ends up as the server has it. */
  private void watch() throws Exception {
    List<String> told = new CopyOnWriteArrayList<>();
    ResourceEventHandler<ConfigMap> handler = new ResourceEventHandler<>() {
      @Override
      public void onAdd(ConfigMap object) {
        note("add", object);
      }

      @Override
      public void onUpdate(ConfigMap before, ConfigMap object) {
        note("update", object);
      }

      @Override
      public void onDelete(ConfigMap object, boolean isStateUnknown) {
        note("delete", object);
      }

      private void note(String what, ConfigMap object) {
        if (object.getMetadata().getName().equals("lively")) told.add(what);
      }
    };
    var configMaps = client.configMaps().inNamespace(namespace);
    try (SharedIndexInformer<ConfigMap> informer = configMaps.inform(handler)) {
      configMaps.resource(configMap("lively", Map.of(), Map.of())).create();
      eventually("told of the add", () -> told.equals(List.of("add")));
      for (int index = 0; index < 3; index++) {
        configMaps.resource(configMap("lively", Map.of(), Map.of("round", "" + index))).update();
      }
      configMaps.withName("lively").delete();
      eventually("told of the delete", () -> told.contains("delete"));
      expect(told.equals(List.of("add", "update", "update", "update", "delete")), "told of " + told);
      int cached = informer.getStore().list().size();
      int stored = configMaps.list().getItems().size();
      expect(cached == stored, cached + " in the cache, " + stored + " on the server");
    }
  }

  private void mergePatch() {
    ConfigMap patched = client.configMaps().inNamespace(namespace).withName("many-00")
        .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"data\":{\"index\":null,\"patched\":\"yes\"}}");
    expect(patched.getData().equals(Map.of("patched", "yes")), "data is " + patched.getData());
  }

  private void strategicPatch() {
    String patch = "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"sidecar\",\"image\":\"registry.invalid/sidecar:1\"}]}}}}";
    Deployment patched = client.apps().deployments().inNamespace(namespace).withName("web")
        .patch(PatchContext.of(PatchType.STRATEGIC_MERGE), patch);
    int count = patched.getSpec().getTemplate().getSpec().getContainers().size();
    expect(count == 2, "there are " + count + " containers");
  }

  private void apply() {
    var configMaps = client.configMaps().inNamespace(namespace);
    configMaps.resource(configMap("applied", Map.of(), Map.of("mine", "1"))).fieldManager("first").serverSideApply();
    var second = configMaps.resource(configMap("applied", Map.of(), Map.of("mine", "2"))).fieldManager("second");
    expectCode(409, second::serverSideApply);
    ConfigMap forced = second.forceConflicts().serverSideApply();
    List<String> managers = forced.getMetadata().getManagedFields().stream().map(entry -> entry.getManager()).toList();
    expect(managers.equals(List.of("second")), "managers are " + managers);
  }

  private void delete() throws Exception {
    var pod = client.pods().inNamespace(namespace).withName("alone");
    pod.withGracePeriod(0).delete();
    expect(pod.get() == null, "the pod is there after its deletion");
    var many = client.configMaps().inNamespace(namespace).withLabel("set", "many");
    many.delete();
    eventually("the collection is gone", () -> many.list().getItems().isEmpty());
    var web = client.apps().deployments().inNamespace(namespace).withName("web");
    web.withPropagationPolicy(DeletionPropagation.FOREGROUND).delete();
    eventually("the Deployment is gone", () -> web.get() == null);
    int sets = client.apps().replicaSets().inNamespace(namespace).withLabel("app", "web").list().getItems().size();
    expect(sets == 0, sets + " ReplicaSets are left");
  }

  private static void expectCode(int code, Runnable call) {
    try {
      call.run();
    } catch (KubernetesClientException refused) {
      expect(refused.getCode() == code, refused.getCode() + " instead of " + code + ": " + refused.getMessage());
      return;
    }
    throw new AssertionError("it was let through instead of " + code);
  }

  private static ConfigMap configMap(String name, Map<String, String> labels, Map<String, String> data) {
    return new ConfigMapBuilder().withNewMetadata().withName(name).withLabels(labels).endMetadata().withData(data).build();
  }

  private static Deployment deployment(String name) {
    Map<String, String> labels = Map.of("app", name);
    return new DeploymentBuilder()
        .withNewMetadata().withName(name).endMetadata()
        .withNewSpec()
        .withReplicas(2)
        .withNewSelector().withMatchLabels(labels).endSelector()
        .withNewTemplate()
        .withNewMetadata().withLabels(labels).endMetadata()
        .withNewSpec().addNewContainer().withName("main").withImage("registry.invalid/main:1").endContainer().endSpec()
        .endTemplate()
        .endSpec()
        .build();
  }
}
