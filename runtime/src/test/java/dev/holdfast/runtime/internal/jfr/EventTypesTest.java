package dev.holdfast.runtime.internal.jfr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.statistics.StorageEvents;
import java.util.Map;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.Recording;
import jdk.jfr.SettingDescriptor;
import jdk.jfr.ValueDescriptor;
import org.junit.jupiter.api.Test;

/** How the events present themselves to the tools that show a recording. */
final class EventTypesTest {

  /** From which duration on each kind is recorded without settings. */
  private static final Map<Class<? extends Event>, String> THRESHOLDS =
      Map.of(
          CommitGroupEvent.class, "100 us",
          SaveEvent.class, "0 ns",
          SlowStatementEvent.class, "5 ms",
          RecoveryEvent.class, "0 ns",
          RestoreEvent.class, "0 ns",
          BackupEvent.class, "0 ns",
          JournalStallEvent.class, "0 ns");

  @Test
  void eachKindAndEachOfItsFieldsIsExplained() {
    for (Class<? extends Event> each : THRESHOLDS.keySet()) {
      EventType type = EventType.getEventType(each);
      assertThat(type.getName() + "Event").isEqualTo("dev.holdfast." + each.getSimpleName());
      assertThat(type.getLabel()).as(type.getName()).isNotBlank();
      assertThat(type.getDescription()).as(type.getName()).isNotBlank();
      assertThat(type.getCategoryNames()).as(type.getName()).hasSize(2).startsWith("Holdfast");
      for (ValueDescriptor field : type.getFields()) {
        assertThat(field.getLabel()).as(type.getName() + "." + field.getName()).isNotBlank();
      }
    }
  }

  @Test
  void thresholdsAreThoseOfTheDocuments() {
    THRESHOLDS.forEach(
        (each, threshold) ->
            assertThat(EventType.getEventType(each).getSettingDescriptors())
                .filteredOn(setting -> setting.getName().equals("threshold"))
                .extracting(SettingDescriptor::getDefaultValue)
                .as(each.getSimpleName())
                .containsExactly(threshold));
  }

  @Test
  void kindThatIsOffHasNoEvent() {
    StorageEvents events = new RecordedStorageEvents();
    assertThat(events.commitGroup()).isNull();
    assertThat(events.save()).isNull();
    assertThat(events.statement()).isNull();
    assertThat(events.recovery()).isNull();
    assertThat(RestoreEvent.beginIfOn()).isNull();
    assertThat(BackupEvent.beginIfOn()).isNull();
    assertThat(JournalStallEvent.beginIfOn()).isNull();
    try (Recording recording = new Recording()) {
      recording.enable(SaveEvent.class);
      recording.start();
      assertThat(events.save()).isNotNull();
      recording.disable(SaveEvent.class);
      assertThat(events.save()).isNull();
    }
  }
}
