import dev.holdfast.*;
import dev.holdfast.embedded.Holdfast;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class DurablePuts {
  public interface M {
    void put(String k, byte[] v);
  }

  static final class O implements M {
    final ObjectContext c;

    O(ObjectContext c) {
      this.c = c;
    }

    public void put(String k, byte[] v) {
      c.storage().put(k, v);
    }
  }

  public static void main(String[] a) throws Exception {
    int rounds = Integer.parseInt(a[0]);
    long millis = Long.parseLong(a[1]);
    int callers = Integer.parseInt(a[2]);
    int objects = Integer.parseInt(a[3]);
    boolean virtual = a.length > 4 && a[4].equals("v");
    var dir = java.nio.file.Files.createTempDirectory("puts");
    var os =
        (com.sun.management.OperatingSystemMXBean)
            java.lang.management.ManagementFactory.getOperatingSystemMXBean();
    try (ObjectRuntime r = Holdfast.open(dir, o -> o.namespace("m", M.class, O::new))) {
      M[] ms = new M[objects];
      for (int i = 0; i < objects; i++) {
        ms[i] = r.namespace("m", M.class).getByName("p" + i);
      }
      var ex = Executors.newFixedThreadPool(64);
      for (M m : ms) ex.submit(() -> m.put("k", new byte[100]));
      ex.shutdown();
      ex.awaitTermination(1, TimeUnit.HOURS);
      byte[] v = new byte[100];
      for (int i = 0; i < rounds; i++) {
        AtomicBoolean stop = new AtomicBoolean();
        LongAdder n = new LongAdder();
        List<Thread> ts = new ArrayList<>();
        long t0 = System.nanoTime(), c0 = os.getProcessCpuTime();
        for (int k = 0; k < callers; k++) {
          int seed = k;
          Runnable w =
              () -> {
                var rnd = new SplittableRandom(seed);
                long c = 0;
                while (!stop.get()) {
                  {
                    byte[] w2 = v.clone();
                    java.nio.ByteBuffer.wrap(w2).putLong(rnd.nextLong());
                    ms[rnd.nextInt(objects)].put("k" + rnd.nextInt(20), w2);
                  }
                  ;
                  c++;
                }
                n.add(c);
              };
          ts.add(virtual ? Thread.ofVirtual().start(w) : Thread.ofPlatform().start(w));
        }
        Thread.sleep(millis);
        stop.set(true);
        for (Thread t : ts) t.join();
        double s = (System.nanoTime() - t0) / 1e9;
        System.out.printf(
            "%d: %.0f/s cpu %.1f us%n",
            i, n.sum() / s, (os.getProcessCpuTime() - c0) / 1e3 / n.sum());
      }
    }
    System.exit(0);
  }
}
