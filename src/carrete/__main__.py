from carrete.cli import main

main()
