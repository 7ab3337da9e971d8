package dev.holdfast.backend.rocksdb.file;

import java.util.ArrayDeque;
import java.util.Deque;
import org.rocksdb.AbstractNativeReference;

/**
 * Objects outside the Java heap that are freed together, the last one first: RocksDB has no garbage
 * collector, and closing a database after its options crashes the process.
 *
 * <p>Owned by one thread.
 */
public final class NativeHandles implements AutoCloseable {

  private final Deque<AbstractNativeReference> handles = new ArrayDeque<>();

  public <T extends AbstractNativeReference> T add(T handle) {
    handles.push(handle);
    return handle;
  }

  @Override
  public void close() {
    for (AbstractNativeReference handle = handles.poll(); handle != null; handle = handles.poll()) {
      handle.close();
    }
  }
}
