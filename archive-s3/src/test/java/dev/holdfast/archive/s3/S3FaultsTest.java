package dev.holdfast.archive.s3;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.archive.ArchiveContent;
import dev.holdfast.archive.s3.FaultyWire.Fault;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What a store does behind a network that cuts, delays, repeats, and answers for the server. */
final class S3FaultsTest {

  private static final boolean ALL_PAIRS = "long".equals(System.getProperty("holdfast.tests"));

  private static S3Server server;
  private static FaultyWire wire;

  @BeforeAll
  static void start() throws IOException {
    server = new S3Server(true);
    wire = new FaultyWire(server.port(), false);
  }

  @AfterAll
  static void stop() throws IOException {
    wire.close();
    server.close();
  }

  /** A store that has done its proof. */
  private static S3Archive store(String name, String instance) throws IOException {
    S3Archive store = S3Server.store(wire.port(), name, instance);
    store.putIfAbsent("first", content("first"));
    return store;
  }

  private static ArchiveContent content(String text) {
    return ArchiveContent.of(text.getBytes(UTF_8));
  }

  private static String text(S3Archive store, String name) throws IOException {
    try (InputStream bytes = store.open(name)) {
      return bytes == null ? "nothing" : new String(bytes.readAllBytes(), UTF_8);
    }
  }

  /**
   * Scripts of up to three faults: what meets a request and its repetitions. Every pair at night;
   * otherwise those with an answer that is cut, and with a request that arrives twice.
   */
  private static List<List<Fault>> scripts() {
    List<List<Fault>> scripts = new ArrayList<>();
    for (Fault first : Fault.values()) {
      scripts.add(List.of(first, first, first));
      for (Fault second : Fault.values()) {
        if (first == Fault.REPEATED || second == Fault.CUT_WITHIN || ALL_PAIRS) {
          scripts.add(List.of(first, second));
        }
      }
    }
    return scripts;
  }

  @Test
  void writeIsTrueOnlyForItsOwnBytesAndFalseOnlyForThoseOfAnother() throws IOException {
    int number = 0;
    int unknown = 0;
    try (S3Archive store = store("writes", "one");
        S3Archive other = store("writes", "two")) {
      for (List<Fault> script : scripts()) {
        String name = "entry-" + number++;
        wire.then(script);
        Boolean added;
        try {
          added = store.putIfAbsent(name, content("mine"));
        } catch (IOException e) {
          added = null;
          unknown++;
        }
        wire.settle();
        boolean otherAdded = other.putIfAbsent(name, content("other's"));
        String text = text(other, name);
        assertThat(text).as("%s", script).isEqualTo(otherAdded ? "other's" : "mine");
        if (added != null) {
          assertThat(added).as("%s", script).isEqualTo(!otherAdded);
        }
      }
    }
    assertThat(unknown).isPositive().isLessThan(number / 2);
  }

  @Test
  void writeOverAnEntryOfAnotherIsNeverTrueAndChangesNothing() throws IOException {
    int number = 0;
    try (S3Archive store = store("taken", "one");
        S3Archive other = store("taken", "two")) {
      for (Fault fault : Fault.values()) {
        List<Fault> script = List.of(fault, fault);
        String name = "entry-" + number++;
        other.putIfAbsent(name, content("other's"));
        wire.then(script);
        boolean added;
        try {
          added = store.putIfAbsent(name, content("mine"));
        } catch (IOException e) {
          added = false;
        }
        wire.settle();
        assertThat(added).as("%s", script).isFalse();
        assertThat(text(other, name)).as("%s", script).isEqualTo("other's");
      }
    }
  }

  @Test
  void readIsWholeOrFails() throws IOException {
    String text = "0123456789".repeat(1000);
    try (S3Archive store = store("reads", "one")) {
      store.putIfAbsent("entry", content(text));
      for (List<Fault> script : scripts()) {
        wire.then(script);
        String read = text;
        try {
          read = text(store, "entry");
        } catch (IOException e) {
          // Said.
        }
        wire.settle();
        assertThat(read).as("%s", script).isEqualTo(text);
      }
      wire.then(List.of(Fault.CUT_WITHIN));
      assertThatThrownBy(() -> text(store, "entry"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("entry of s3://");
    }
  }

  @Test
  void oneFailureOfEachKindIsMendedByARepetition() throws IOException {
    try (S3Archive store = store("mended", "one")) {
      for (Fault fault : Fault.values()) {
        if (fault != Fault.REFUSED_412) { // no server says so of an entry that is missing
          String name = "entry-" + fault.ordinal();
          wire.then(List.of(fault));
          assertThat(store.putIfAbsent(name, content("mine"))).as("%s", fault).isTrue();
          wire.settle();
        }
      }
      assertThat(store.list("entry-", "", 99)).hasSize(Fault.values().length - 1);
    }
  }
}
