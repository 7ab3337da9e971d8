package dev.holdfast.cluster.status;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.SettingDescriptor;
import jdk.jfr.ValueDescriptor;
import org.junit.jupiter.api.Test;

/** How the events of a cluster present themselves to the tools that show a recording. */
final class ClusterEventTypesTest {

  /** From which duration on each kind is recorded without settings. */
  private static final Map<Class<? extends Event>, String> THRESHOLDS =
      Map.of(
          RemoteCallEvent.class, "10 ms",
          OwnershipBeganEvent.class, "0 ns",
          OwnershipEndedEvent.class, "0 ns",
          FetchEvent.class, "0 ns");

  @Test
  void eachKindAndEachOfItsFieldsIsExplained() {
    THRESHOLDS.forEach(
        (each, threshold) -> {
          EventType type = EventType.getEventType(each);
          assertThat(type.getName() + "Event").isEqualTo("dev.holdfast." + each.getSimpleName());
          assertThat(type.getLabel()).as(type.getName()).isNotBlank();
          assertThat(type.getDescription()).as(type.getName()).isNotBlank();
          assertThat(type.getCategoryNames()).containsExactly("Holdfast", "Cluster");
          for (ValueDescriptor field : type.getFields()) {
            assertThat(field.getLabel()).as(type.getName() + "." + field.getName()).isNotBlank();
          }
          assertThat(type.getSettingDescriptors())
              .filteredOn(setting -> setting.getName().equals("threshold"))
              .extracting(SettingDescriptor::getDefaultValue)
              .containsExactly(threshold);
        });
  }
}
