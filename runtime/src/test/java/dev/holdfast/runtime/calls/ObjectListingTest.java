package dev.holdfast.runtime.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.ObjectListOptions;
import dev.holdfast.Page;
import dev.holdfast.runtime.Host;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The list of a namespace's objects, as an application reads it. */
final class ObjectListingTest {

  private final Host host = Host.open();

  @AfterEach
  void close() {
    host.close();
  }

  private void write(String name) throws Exception {
    write(host.id(name));
  }

  private void write(ObjectId id) throws Exception {
    host.call(host.things().stub(id), (_, context) -> put(context));
  }

  private static Object put(dev.holdfast.ObjectContext context) {
    context.storage().put("key", 1);
    return null;
  }

  private List<String> names(ObjectListOptions options) {
    return allOf(options).stream().map(id -> id.name().orElseThrow()).toList();
  }

  /** Follows the cursors, and checks that no page exceeds its limit. */
  private List<ObjectId> allOf(ObjectListOptions options) {
    List<ObjectId> ids = new ArrayList<>();
    Optional<String> cursor = Optional.empty();
    do {
      Page<ObjectId> page = host.things().list(cursor.map(options::withCursor).orElse(options));
      assertThat(page.items()).hasSizeLessThanOrEqualTo(options.limit());
      ids.addAll(page.items());
      cursor = page.nextCursor();
    } while (cursor.isPresent());
    return ids;
  }

  @Test
  void listHasTheObjectsThatHaveWrittenByNameAndThenThoseWithoutOne() throws Exception {
    ObjectId unnamed = host.things().newUniqueId();
    write(unnamed);
    write("b");
    write("a");
    host.call("only called", (_, _) -> null);

    assertThat(allOf(ObjectListOptions.ALL)).containsExactly(host.id("a"), host.id("b"), unnamed);
    assertThat(host.things().list(ObjectListOptions.ALL).nextCursor()).isEmpty();
  }

  @Test
  void prefixSelectsByTheBytesOfTheName() throws Exception {
    for (String name : List.of("room/é", "room/", "room/1", "roof", "rooms", "ro", "ROOM/2")) {
      write(name);
    }
    write(host.things().newUniqueId());

    assertThat(names(ObjectListOptions.ALL.withPrefix("room/")))
        .containsExactly("room/", "room/1", "room/é");
    assertThat(names(ObjectListOptions.ALL.withPrefix("roo")))
        .containsExactly("roof", "room/", "room/1", "room/é", "rooms");
    assertThat(names(ObjectListOptions.ALL.withPrefix("x"))).isEmpty();
  }

  @Test
  void pagesOfAnySizeGiveTheSameList() throws Exception {
    for (int i = 0; i < 7; i++) {
      write("room/" + i);
      write("hall/" + i);
      write(host.things().newUniqueId());
    }
    List<ObjectId> all = allOf(ObjectListOptions.ALL);

    assertThat(all).hasSize(21).doesNotHaveDuplicates();
    for (int limit = 1; limit <= 22; limit++) {
      assertThat(allOf(ObjectListOptions.ALL.withLimit(limit))).isEqualTo(all);
      assertThat(names(ObjectListOptions.ALL.withPrefix("room/").withLimit(limit)))
          .containsExactly("room/0", "room/1", "room/2", "room/3", "room/4", "room/5", "room/6");
    }
  }

  @Test
  void cursorStaysGoodWhileObjectsComeAndGo() throws Exception {
    write("a");
    write("b");
    write("d");
    ObjectListOptions two = ObjectListOptions.ALL.withLimit(2);
    String cursor = host.things().list(two).nextCursor().orElseThrow();
    host.call(
        "b",
        (_, context) -> {
          context.storage().deleteAll();
          return null;
        });
    write("c");
    write("aa");

    assertThat(host.things().list(two.withCursor(cursor)).items())
        .containsExactly(host.id("c"), host.id("d"));
  }

  @Test
  void malformedCursorAndLimitAreRefused() {
    for (String cursor : List.of("", "a", "nxyz", "u12", "u" + "zz".repeat(32))) {
      assertThatThrownBy(() -> host.things().list(ObjectListOptions.ALL.withCursor(cursor)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("cursor");
    }
    for (int limit : new int[] {0, -1, ObjectListOptions.LIMIT_MAX + 1}) {
      assertThatThrownBy(() -> ObjectListOptions.ALL.withLimit(limit))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("limit");
    }
  }
}
