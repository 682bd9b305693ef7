// SPDX-License-Identifier: GPL-2.0-or-later

/// The tables. `…_us` is calendar time in UTC microseconds, `…_ns` the boot clock's nanoseconds in the boot of the
/// row's run. A migration that has been released is never edited; another is added.
enum Schema {
    /// "RGND" in the file's header: this database is a regiond store.
    static let applicationID: Int64 = 0x5247_4E44

    /// Each brings the file one version further.
    static let migrations = [ledger, nearest]

    /// Version 1. The event table has its `seq` and no index besides: an index on region or beacon would scatter over
    /// the file and cost a page of flash for each row, and time is mapped to `seq` instead.
    /// `event_region` can do without rowid because its key grows with `seq`: rows go to the last page.
    private static let ledger = """
        CREATE TABLE store (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            gateway TEXT NOT NULL, store TEXT NOT NULL, source TEXT NOT NULL,
            created_us INTEGER NOT NULL, source_start_us INTEGER
        ) STRICT;
        CREATE TABLE settings_version (
            id INTEGER PRIMARY KEY, recorded_us INTEGER NOT NULL,
            registry TEXT NOT NULL, configuration TEXT NOT NULL
        ) STRICT;
        CREATE TABLE run (
            id INTEGER PRIMARY KEY, boot TEXT NOT NULL, why TEXT NOT NULL,
            started_us INTEGER NOT NULL, started_ns INTEGER NOT NULL,
            ended_us INTEGER, ended_ns INTEGER, how TEXT,
            up_to_ns INTEGER, settings INTEGER REFERENCES settings_version,
            anchor_us INTEGER NOT NULL, anchor_ns INTEGER NOT NULL, synchronised INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE region (id INTEGER PRIMARY KEY, identifier TEXT NOT NULL UNIQUE) STRICT;
        CREATE TABLE receiver (id INTEGER PRIMARY KEY, identifier TEXT NOT NULL UNIQUE) STRICT;
        CREATE TABLE beacon (
            id INTEGER PRIMARY KEY, uuid TEXT NOT NULL, major INTEGER NOT NULL, minor INTEGER NOT NULL,
            UNIQUE (uuid, major, minor)
        ) STRICT;
        CREATE TABLE description (
            id INTEGER PRIMARY KEY, beacon INTEGER NOT NULL REFERENCES beacon,
            name TEXT, exhibit TEXT, kind TEXT NOT NULL, beacon_group TEXT, registered INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX description_of_beacon ON description (beacon);

        CREATE TABLE event (
            seq INTEGER PRIMARY KEY, ordinal INTEGER NOT NULL, run INTEGER NOT NULL REFERENCES run,
            kind TEXT NOT NULL, reason TEXT NOT NULL,
            at_us INTEGER NOT NULL, at_ns INTEGER NOT NULL,
            detected_us INTEGER NOT NULL, detected_ns INTEGER NOT NULL, clock_synchronised INTEGER NOT NULL,
            description INTEGER NOT NULL REFERENCES description,
            visit INTEGER NOT NULL, entered_ns INTEGER NOT NULL, ends_visit INTEGER NOT NULL,
            uncertain INTEGER NOT NULL, of_ordinal INTEGER, of_seq INTEGER,
            hits INTEGER NOT NULL, rssi REAL, filtered_rssi REAL, tier TEXT, distance TEXT,
            receiver INTEGER NOT NULL REFERENCES receiver, listened_ns INTEGER NOT NULL,
            settings INTEGER NOT NULL REFERENCES settings_version
        ) STRICT;
        CREATE TABLE event_region (
            seq INTEGER NOT NULL REFERENCES event, position INTEGER NOT NULL,
            region INTEGER NOT NULL REFERENCES region, occupancy INTEGER NOT NULL, edge INTEGER NOT NULL,
            wake TEXT, cooldown_whole_region INTEGER, cooldown_until_ns INTEGER,
            PRIMARY KEY (seq, position)
        ) STRICT, WITHOUT ROWID;
        -- A visit without left_us and exit_reason is open; with the reason 'lost' its exit found no room in memory.
        CREATE TABLE visit (
            visit INTEGER PRIMARY KEY, description INTEGER NOT NULL REFERENCES description,
            enter_seq INTEGER, entered_us INTEGER NOT NULL,
            exit_seq INTEGER, left_us INTEGER, exit_reason TEXT, uncertain INTEGER NOT NULL
        ) STRICT;

        -- State for a restart: small tables that hold what is, not what was.
        CREATE TABLE presence (
            beacon INTEGER PRIMARY KEY REFERENCES beacon, run INTEGER NOT NULL REFERENCES run,
            visit INTEGER NOT NULL, entered_ns INTEGER NOT NULL, last_heard_ns INTEGER NOT NULL,
            last_event_ns INTEGER NOT NULL, silence_from_ns INTEGER NOT NULL,
            restart_spent INTEGER NOT NULL, loss_spent INTEGER NOT NULL
        ) STRICT;
        -- Beacon 0 is the region as a whole.
        CREATE TABLE cooldown (
            region INTEGER NOT NULL REFERENCES region, beacon INTEGER NOT NULL,
            run INTEGER NOT NULL REFERENCES run, until_ns INTEGER NOT NULL, until_us INTEGER NOT NULL,
            PRIMARY KEY (region, beacon)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE waiting_exit (
            seq INTEGER NOT NULL, region INTEGER NOT NULL REFERENCES region, PRIMARY KEY (seq, region)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE last_wake (beacon INTEGER PRIMARY KEY REFERENCES beacon, seq INTEGER NOT NULL) STRICT;

        CREATE TABLE near_miss (
            minute_us INTEGER NOT NULL, beacon INTEGER NOT NULL REFERENCES beacon,
            count INTEGER NOT NULL, most_hits INTEGER NOT NULL, strongest_rssi REAL,
            PRIMARY KEY (minute_us, beacon)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE ranging (
            seq INTEGER PRIMARY KEY, count INTEGER NOT NULL, strongest_rssi REAL, distance TEXT
        ) STRICT;
        CREATE TABLE beacon_minute (
            id INTEGER PRIMARY KEY, beacon INTEGER NOT NULL REFERENCES beacon,
            start_us INTEGER NOT NULL, start_ns INTEGER NOT NULL, run INTEGER NOT NULL REFERENCES run,
            count INTEGER NOT NULL, p10 REAL, p50 REAL, p90 REAL, largest_gap_ns INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE listening_span (
            run INTEGER NOT NULL REFERENCES run, receiver INTEGER NOT NULL REFERENCES receiver,
            from_ns INTEGER NOT NULL, from_us INTEGER NOT NULL,
            until_ns INTEGER NOT NULL, until_us INTEGER NOT NULL,
            PRIMARY KEY (run, receiver, from_ns)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE note (
            id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run, kind TEXT NOT NULL, text TEXT NOT NULL,
            at_us INTEGER NOT NULL, at_ns INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE lost (
            id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run, count INTEGER NOT NULL,
            from_us INTEGER NOT NULL, from_ns INTEGER NOT NULL, to_us INTEGER NOT NULL, to_ns INTEGER NOT NULL
        ) STRICT;
        """

    /// Version 2: several receivers. Rows of version 1 know of no nearest and no place; theirs stay null.
    private static let nearest = """
        -- What can be nearest: a receiver, a group of receivers, and to a carried receiver a fixed beacon.
        CREATE TABLE station (id INTEGER PRIMARY KEY, identifier TEXT NOT NULL UNIQUE) STRICT;
        CREATE TABLE place (id INTEGER PRIMARY KEY, exhibit TEXT, floor TEXT, x REAL, y REAL) STRICT;
        CREATE INDEX place_of_exhibit ON place (exhibit);

        ALTER TABLE event ADD COLUMN nearest INTEGER REFERENCES station;
        ALTER TABLE event ADD COLUMN change_from INTEGER REFERENCES station;
        ALTER TABLE event ADD COLUMN change_to INTEGER REFERENCES station;
        ALTER TABLE event ADD COLUMN from_score REAL;
        ALTER TABLE event ADD COLUMN to_score REAL;
        ALTER TABLE event ADD COLUMN place INTEGER REFERENCES place;

        -- The score is null where only an event without scores has named the nearest so far.
        ALTER TABLE presence ADD COLUMN nearest INTEGER REFERENCES station;
        ALTER TABLE presence ADD COLUMN nearest_score REAL;

        -- The loudest that a receiver hears carried beacons, dBm.
        CREATE TABLE receiver_level (receiver INTEGER PRIMARY KEY REFERENCES receiver, level REAL NOT NULL) STRICT;

        -- What the shadow rule would have changed.
        CREATE TABLE shadow_change (
            id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run, beacon INTEGER NOT NULL REFERENCES beacon,
            at_us INTEGER NOT NULL, at_ns INTEGER NOT NULL,
            change_from INTEGER NOT NULL REFERENCES station, change_to INTEGER NOT NULL REFERENCES station,
            from_score REAL, to_score REAL
        ) STRICT;
        """
}
