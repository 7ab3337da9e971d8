package dev.holdfast.embedded.operator;

import static dev.holdfast.embedded.operator.Accounts.SQLITE;
import static dev.holdfast.embedded.operator.Accounts.about;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.operator.OperatorConnection;
import dev.holdfast.operator.OperatorException;
import dev.holdfast.operator.OperatorException.Reason;
import dev.holdfast.operator.OperatorRequest;
import dev.holdfast.operator.OperatorService;
import dev.holdfast.operator.OperatorSocket;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Operations on a running runtime, through its socket. */
final class OperatorSocketTest {

  private static final Logger LOG = Logger.getLogger("dev.holdfast");

  @TempDir private Path temporary;

  private final List<String> lines = new CopyOnWriteArrayList<>();

  private ObjectRuntime open(Path data) {
    return Accounts.open(data, new VirtualClock(), RuntimeOptions.DEFAULT.withOperatorSocket());
  }

  private static List<Map<String, @Nullable Object>> ask(Path data, OperatorRequest request)
      throws IOException {
    List<Map<String, @Nullable Object>> answers = new ArrayList<>();
    OperatorConnection.find(data).orElseThrow().perform(request, answers::add);
    return answers;
  }

  @Test
  void requestIsServedAndLoggedWithTheUser() throws IOException {
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            lines.add(line.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Level level = LOG.getLevel();
    LOG.setLevel(Level.INFO);
    LOG.setUseParentHandlers(false);
    LOG.addHandler(handler);
    try (ObjectRuntime runtime = open(temporary)) {
      assertThat(runtime).isNotNull();
      assertThat(ask(temporary, about("object", SQLITE, "alice")))
          .singleElement()
          .satisfies(answer -> assertThat(answer).containsEntry("keys", 1L));
      assertThat(lines)
          .contains(
              "operator-request: user "
                  + Files.getOwner(temporary).getName()
                  + ", group "
                  + Files.getAttribute(temporary, "posix:group")
                  + ", asks for: object namespace=accounts object=alice");
    } finally {
      LOG.removeHandler(handler);
      LOG.setUseParentHandlers(true);
      LOG.setLevel(level);
    }
  }

  @Test
  void socketIsForItsOwnerAndGoesWithTheRuntime() throws IOException {
    Path socket = temporary.resolve("operator.sock");
    try (ObjectRuntime runtime = open(temporary)) {
      assertThat(runtime).isNotNull();
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
          .isEqualTo("rw-------");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(temporary)))
          .isEqualTo("rwx------");
    }
    assertThat(socket).doesNotExist();
    assertThat(OperatorConnection.find(temporary)).isEmpty();
  }

  @Test
  void runtimeListensOnlyIfAsked() throws IOException {
    try (ObjectRuntime runtime =
        Accounts.open(temporary, new VirtualClock(), RuntimeOptions.DEFAULT)) {
      assertThat(runtime).isNotNull();
      assertThat(OperatorConnection.find(temporary)).isEmpty();
    }
  }

  @Test
  void socketOfAKilledProcessIsReplaced() throws IOException {
    Path socket = temporary.resolve("operator.sock");
    try (ServerSocketChannel left = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      left.bind(UnixDomainSocketAddress.of(socket));
    }
    assertThat(socket).exists();
    assertThat(OperatorConnection.find(temporary)).isEmpty();
    try (ObjectRuntime runtime = open(temporary)) {
      assertThat(runtime).isNotNull();
      assertThat(ask(temporary, OperatorRequest.of("health"))).hasSize(1);
    }
  }

  /** An object whose turn does not end holds up no request about another one. */
  @Test
  void requestEndsWhenItsAskerHasLeft() throws Exception {
    Semaphore begun = new Semaphore(0);
    OperatorService operations =
        (request, answers) -> {
          if (request.verb().equals("object")) {
            begun.release();
            try {
              new CountDownLatch(1).await();
            } catch (InterruptedException e) {
              throw new OperatorException(Reason.FAILED, "interrupted", e);
            }
          }
          answers.add(Map.of());
          return null;
        };
    try (OperatorSocket socket = OperatorSocket.open(temporary, operations, new VirtualClock())) {
      assertThat(socket).isNotNull();
      for (int asker = 0; asker < 40; asker++) { // more than are served at once
        Thread asking =
            Thread.ofVirtual()
                .start(
                    () ->
                        assertThatExceptionOfType(OperatorException.class)
                            .isThrownBy(() -> ask(temporary, about("object", SQLITE, "stuck"))));
        begun.acquire();
        asking.interrupt();
        asking.join();
      }
      assertThat(ask(temporary, OperatorRequest.of("health"))).hasSize(1);
    }
  }

  @Test
  void socketOfALongPathIsElsewhere() throws IOException {
    Path data = Files.createDirectories(temporary.resolve("d".repeat(120)));
    Path socket;
    try (ObjectRuntime runtime = open(data)) {
      assertThat(runtime).isNotNull();
      socket =
          Path.of(Files.readString(data.resolve("operator")).lines().findFirst().orElseThrow());
      assertThat(socket).exists();
      assertThat(ask(data, OperatorRequest.of("health"))).hasSize(1);
    }
    assertThat(socket.getParent()).doesNotExist();
    assertThat(data.resolve("operator")).doesNotExist();
  }

  @Test
  void copyOfARunningDirectoryDoesNotLeadToTheProcess() throws IOException {
    Path data = Files.createDirectories(temporary.resolve("d".repeat(120)));
    Path copy = Files.createDirectories(temporary.resolve("copy"));
    open(copy).close();
    try (ObjectRuntime runtime = open(data)) {
      assertThat(runtime).isNotNull();
      Files.copy(data.resolve("operator"), copy.resolve("operator"));

      assertThat(OperatorConnection.find(copy)).isEmpty();
      open(copy).close();
      assertThat(ask(data, OperatorRequest.of("health"))).hasSize(1);
    }
    assertThat(copy.resolve("operator")).doesNotExist();
  }

  @Test
  void unknownVerbIsAWrongRequest() {
    try (ObjectRuntime runtime = open(temporary)) {
      assertThat(runtime).isNotNull();
      assertThatThrownBy(() -> ask(temporary, OperatorRequest.of("dance")))
          .isInstanceOfSatisfying(
              OperatorException.class,
              e -> assertThat(e.reason()).isEqualTo(OperatorException.Reason.WRONG_REQUEST));
    }
  }

  @Test
  void nonsenseEndsOnlyItsConnection() throws IOException {
    try (ObjectRuntime runtime = open(temporary)) {
      assertThat(runtime).isNotNull();
      for (byte[] nonsense : List.of(new byte[] {-1, -1, -1, -1}, new byte[] {0, 0, 0, 2, 7, 7})) {
        try (SocketChannel channel =
            SocketChannel.open(UnixDomainSocketAddress.of(temporary.resolve("operator.sock")))) {
          channel.write(ByteBuffer.wrap(nonsense));
          assertThat(channel.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        }
      }
      assertThat(ask(temporary, OperatorRequest.of("health"))).hasSize(1);
    }
  }
}
