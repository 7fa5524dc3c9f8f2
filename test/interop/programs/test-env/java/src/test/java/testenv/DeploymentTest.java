package testenv;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class DeploymentTest {
  @RegisterExtension final TestCluster cluster = new TestCluster();

  @Test
  void becomesReady() {
    Map<String, String> labels = Map.of("app", "web");
    Deployment web =
        new DeploymentBuilder()
            .withNewMetadata().withName("web").endMetadata()
            .withNewSpec()
            .withNewSelector().withMatchLabels(labels).endSelector()
            .withNewTemplate()
            .withNewMetadata().withLabels(labels).endMetadata()
            .withNewSpec().addNewContainer().withName("web").withImage("nginx").endContainer().endSpec()
            .endTemplate()
            .endSpec()
            .build();
    cluster.client().apps().deployments().inNamespace("default").resource(web).create();
    Deployment ready =
        cluster.client().apps().deployments().inNamespace("default").withName("web")
            .waitUntilReady(30, TimeUnit.SECONDS);
    assertEquals(1, ready.getStatus().getReadyReplicas());
  }

  @Test
  void everyTestHasItsOwn() {
    assertEquals(
        List.of(), cluster.client().apps().deployments().inNamespace("default").list().getItems());
  }
}
