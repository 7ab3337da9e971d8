package dev.holdfast.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.TimeSource;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A connection that cannot be accepted ends no later one. */
final class FailedAcceptTest {

  private static final int FAILURES = 2 * OperatorSocket.CONNECTIONS_MAX;

  @TempDir private Path temporary;

  @Test
  void acceptGoesOnAfterFailures() {
    FullTable server = new FullTable();
    PausesAtOnce time = new PausesAtOnce();

    new OperatorSocket(temporary, server, (request, answers) -> null, time).accept();

    assertThat(server.accepts).isEqualTo(FAILURES + 1);
    assertThat(time.pauses).hasSize(FAILURES).containsOnly(OperatorSocket.ACCEPT_PAUSE_NANOS);
  }

  /** Runs what is scheduled at once. */
  private static final class PausesAtOnce implements TimeSource {

    private final List<Long> pauses = new ArrayList<>();

    @Override
    public long wallMillis() {
      return 0;
    }

    @Override
    public long monotonicNanos() {
      return 0;
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
      pauses.add(delayNanos);
      task.run();
      return () -> false;
    }
  }

  /** Fails as a process with too many open files does, then is closed. */
  private static final class FullTable extends ServerSocketChannel {

    private int accepts;

    FullTable() {
      super(SelectorProvider.provider());
    }

    @Override
    public SocketChannel accept() throws IOException {
      accepts++;
      if (accepts <= FAILURES) {
        throw new IOException("Too many open files");
      }
      throw new ClosedChannelException();
    }

    @Override
    public ServerSocketChannel bind(SocketAddress local, int backlog) {
      return this;
    }

    @Override
    public <T> ServerSocketChannel setOption(SocketOption<T> name, T value) {
      return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) {
      throw new UnsupportedOperationException("no options");
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
      return Set.of();
    }

    @Override
    public ServerSocket socket() {
      throw new UnsupportedOperationException("no socket");
    }

    @Override
    public SocketAddress getLocalAddress() {
      throw new UnsupportedOperationException("no address");
    }

    @Override
    protected void implCloseSelectableChannel() {}

    @Override
    protected void implConfigureBlocking(boolean block) {}
  }
}
