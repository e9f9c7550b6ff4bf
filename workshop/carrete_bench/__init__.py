"""`carrete bench` measures this product. Each figure is compared with a yardstick: a baseline measured in the same run.

command         the commands                        engine_choice  the --db option
engines         measures SQLite, PostgreSQL, both   measure        measures one engine
server          the measured server process         empty_post     the product's app plus the empty POST
load            the process that sends requests     processes      starts and stops server and load
shop            fills a ledger with test data       month          fills a ledger with a month of work
joint_sessions  FINALIZAR compared with TOMAR       reports        reports and history over that month
examinations    a year of examined welds, repair rates
workbook        the workbook import                 sheets         `carrete bench sheets`
postgres        a PostgreSQL server to measure on   cpu            processor time by process
results         the measured figures                goals          the goals, reached or not
report          tables and JSON                     progress       progress messages
gate            `carrete bench gate`                live           `carrete bench live`
offline         `carrete bench offline`             labels         `carrete bench labels`
full            `carrete bench all`                 errors         the error that ends a run
"""
