package dev.holdfast.backend.rocksdb.file;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.rocksdb.CompressionType;
import org.rocksdb.EnvOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileWriter;

/** A file of pairs that RocksDB can ingest as a whole. Owned by one thread. */
public final class PairsFile implements AutoCloseable {

  private final NativeHandles handles = new NativeHandles();
  private final Path path;
  private final SstFileWriter writer;
  private boolean isEmpty = true;

  public PairsFile(Path path) throws RocksDBException {
    this.path = path;
    this.writer =
        handles.add(
            new SstFileWriter(
                handles.add(new EnvOptions()),
                handles.add(new Options()).setCompressionType(CompressionType.LZ4_COMPRESSION)));
    writer.open(path.toString());
  }

  /** Adds a pair, or a deletion if the value is null; keys ascend. */
  public void add(byte[] key, byte @Nullable [] value) throws RocksDBException {
    if (value == null) {
      writer.delete(key);
    } else {
      writer.put(key, value);
    }
    isEmpty = false;
  }

  /** Makes the file durable, and returns whether it contains anything. */
  public boolean finish() throws RocksDBException {
    if (!isEmpty) {
      writer.finish();
    }
    return !isEmpty;
  }

  public Path path() {
    return path;
  }

  @Override
  public void close() {
    handles.close();
  }
}
