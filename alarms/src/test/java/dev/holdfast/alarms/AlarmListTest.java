package dev.holdfast.alarms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.AlarmStatus;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectListOptions;
import dev.holdfast.Page;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Lists of alarms and of objects. */
final class AlarmListTest {

  private AlarmHost host = new AlarmHost();

  @AfterEach
  void close() {
    host.close();
  }

  @Test
  void pendingAlarmsAreListedInPages() {
    for (int number = 0; number < 25; number++) {
      host.set("n" + number, 100 + number / 3);
    }
    List<AlarmStatus> all = host.sleepers().alarms().pending(Optional.empty(), 100).items();
    assertThat(all).hasSize(25).isSortedAccordingTo((a, b) -> a.dueTime().compareTo(b.dueTime()));
    List<AlarmStatus> paged = new ArrayList<>();
    Optional<String> cursor = Optional.empty();
    do {
      var page = host.sleepers().alarms().pending(cursor, 7);
      paged.addAll(page.items());
      cursor = page.nextCursor();
    } while (cursor.isPresent());
    assertThat(paged).isEqualTo(all);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> host.sleepers().alarms().pending(Optional.of("nonsense"), 7));
  }

  @Test
  void objectsAreListedInPages() {
    for (int number = 0; number < 25; number++) {
      host.set(String.format("n%02d", number), 100);
    }
    List<String> names = new ArrayList<>();
    ObjectListOptions options = ObjectListOptions.ALL.withPrefix("n1").withLimit(3);
    Page<ObjectId> page = host.sleepers().list(options);
    while (true) {
      page.items().forEach(id -> names.add(id.name().orElseThrow()));
      if (page.nextCursor().isEmpty()) {
        break;
      }
      page = host.sleepers().list(options.withCursor(page.nextCursor().get()));
    }
    assertThat(names)
        .containsExactly("n10", "n11", "n12", "n13", "n14", "n15", "n16", "n17", "n18", "n19");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> host.sleepers().list(ObjectListOptions.ALL.withCursor("x")));
  }
}
