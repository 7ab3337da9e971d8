package dev.holdfast.guide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * The manifests have fields that Kubernetes knows, with values of their types, and fit together.
 */
class KubernetesManifestsTest {

  private static final Path MANIFESTS = Path.of("..", "..", "docs", "operations", "kubernetes");

  /** The classes of the model would put a field that they do not know aside. */
  private static final YAMLMapper STRICT =
      YAMLMapper.builder()
          .annotationIntrospector(
              new JacksonAnnotationIntrospector() {
                @Override
                public Boolean hasAnySetter(MapperConfig<?> config, Annotated annotated) {
                  return false;
                }
              })
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build();

  private static <T extends HasMetadata> T read(String file, Class<T> type) throws IOException {
    T manifest = STRICT.readValue(Files.readString(MANIFESTS.resolve(file)), type);
    T named = STRICT.readValue("{}", type); // knows what its kind is called
    assertThat(manifest.getKind()).isEqualTo(named.getKind());
    assertThat(manifest.getApiVersion()).isEqualTo(named.getApiVersion());
    return manifest;
  }

  @Test
  void unknownFieldIsAnError() {
    assertThatThrownBy(() -> STRICT.readValue("spec: {replica: 3}", StatefulSet.class))
        .isInstanceOf(JacksonException.class)
        .hasMessageContaining("replica");
    assertThatThrownBy(() -> STRICT.readValue("spec: {replicas: many}", StatefulSet.class))
        .isInstanceOf(JacksonException.class);
  }

  @Test
  void manifestsAreValidAndFitTogether() throws IOException {
    StatefulSet nodes = read("statefulset.yaml", StatefulSet.class);
    Service service = read("service.yaml", Service.class);
    PodDisruptionBudget budget = read("disruption-budget.yaml", PodDisruptionBudget.class);

    Map<String, String> labels = nodes.getSpec().getTemplate().getMetadata().getLabels();
    assertThat(nodes.getSpec().getSelector().getMatchLabels()).isEqualTo(labels);
    assertThat(service.getSpec().getSelector()).isEqualTo(labels);
    assertThat(budget.getSpec().getSelector().getMatchLabels()).isEqualTo(labels);
    assertThat(nodes.getSpec().getServiceName()).isEqualTo(service.getMetadata().getName());
    assertThat(service.getSpec().getClusterIP()).isEqualTo("None");
    assertThat(service.getSpec().getPublishNotReadyAddresses()).isTrue();
    assertThat(budget.getSpec().getMaxUnavailable().getIntVal()).isOne();
    assertThat(nodes.getSpec().getPodManagementPolicy()).isEqualTo("Parallel");

    Container container = nodes.getSpec().getTemplate().getSpec().getContainers().getFirst();
    List<String> ports = container.getPorts().stream().map(ContainerPort::getName).toList();
    assertThat(ports)
        .containsAll(service.getSpec().getPorts().stream().map(ServicePort::getName).toList());
    for (Probe probe :
        List.of(
            container.getReadinessProbe(),
            container.getLivenessProbe(),
            container.getStartupProbe())) {
      assertThat(ports).contains(probe.getHttpGet().getPort().getStrVal());
    }
    List<String> volumes =
        container.getVolumeMounts().stream().map(each -> each.getName()).sorted().toList();
    assertThat(volumes).containsExactly("certificates", "data");
    assertThat(nodes.getSpec().getVolumeClaimTemplates())
        .extracting(each -> each.getMetadata().getName())
        .containsExactly("data");
  }
}
